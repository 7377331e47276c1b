export * from './legs'
export * from './targets'
export * from './trials'
export * from './walk'
