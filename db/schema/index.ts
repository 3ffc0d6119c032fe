export * from './audit.ts';
export * from './billing.ts';
export * from './identity.ts';
export * from './metering.ts';
export * from './tenants.ts';
export * from './translations.ts';
export * from './workers.ts';
