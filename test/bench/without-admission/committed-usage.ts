export * from '#server/billing/metering/committed-usage.ts';

/** Replaces the function that takes the lock of admission: it takes none. */
export async function lockAdmissions(): Promise<void> {}
