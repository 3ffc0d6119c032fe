export * from '#server/billing/metering/committed-usage.ts';

/** Takes no lock. */
export async function lockAdmissions(): Promise<void> {}
