export * from './legs'
export * from './targets'
export * from './walk'
