/** The amount of data of a side. */
export interface Sizes {
  /** Jobs of the measured tenant. */
  jobs: number;
  /** Number of other tenants, each with 30 jobs. */
  others: number;
  /** The months up to now over which the tenant's jobs are spread. */
  months: number;
  /** Imported segments of one language pair, and the number of sets that contain them. */
  segments: number;
  sets: number;
  /** Approved translations of another language pair. */
  golden: number;
  /** The number of tokens of all tenants together. */
  tokens: number;
  auditLines: number;
  /** The numbers of the tenant's accepted invites and completed imports. */
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
