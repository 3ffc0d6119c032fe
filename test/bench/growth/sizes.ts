/** The amount of data of a side. */
export interface Sizes {
  /** Jobs of the measured tenant. */
  jobs: number;
  /** Other tenants, with 30 jobs each. */
  others: number;
  /** Over which the tenant's jobs are spread, up to now. */
  months: number;
  /** Imported segments of one pair, and the sets that they are in. */
  segments: number;
  sets: number;
  /** Approved pairs of another pair. */
  golden: number;
  /** Of all tenants together. */
  tokens: number;
  auditLines: number;
  /** Of the tenant: redeemed invites, imports that ended. */
  invites: number;
  imports: number;
}

export const small: Sizes = {
  ...{ jobs: 100, others: 0, months: 24, segments: 100, sets: 1, golden: 100 },
  ...{ tokens: 10, auditLines: 100, invites: 100, imports: 50 },
};

const jobs = Number(process.env['BENCH_JOBS'] ?? 1_000_000);

export const large: Sizes = {
  ...{ jobs, others: 300, months: 24, segments: 50_000, sets: 200, golden: 50_000 },
  ...{ tokens: jobs / 2, auditLines: jobs / 2, invites: 20_000, imports: 20_000 },
};
