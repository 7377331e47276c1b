/** EDINET's axis of consolidated and separate accounts; a figure without it is of the consolidated accounts. */
export const accountsAxis = 'jppfs_cor:ConsolidatedOrNonConsolidatedAxis'
export const consolidated = 'jppfs_cor:ConsolidatedMember'
export const separate = 'jppfs_cor:NonConsolidatedMember'
