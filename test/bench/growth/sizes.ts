/** The amount of data of a deployment. */
export interface Sizes {
  /** Jobs of all workspaces together. The biggest workspace has a tenth of them. */
  jobs: number;
  /** The biggest workspace, the average one that is measured, and copies of the average one. */
  workspaces: number;
  /** The months up to now over which the jobs are spread. */
  months: number;
  /** The number of tokens of all workspaces together. */
  tokens: number;
  auditLines: number;
  biggest: WorkspaceSizes;
  average: WorkspaceSizes;
}

/** The amount of data of a workspace. */
export interface WorkspaceSizes {
  jobs: number;
  /** Imported segments of one language pair, and the number of sets that contain them. */
  segments: number;
  sets: number;
  /** Approved translations of another language pair. */
  golden: number;
  /** The numbers of accepted invites and completed imports. */
  invites: number;
  imports: number;
}

/**
 * The data of a deployment with a number of jobs. With ten million, it has 10,000 workspaces and five million imported
 * segments, a tenth of them in one workspace.
 */
export function sizesOf(jobs: number): Sizes {
  const workspaces = Math.max(10, Math.round(jobs / 1000));
  const segments = Math.max(1000, jobs / 2);
  const ofBiggest = Math.ceil(segments / 10);
  return {
    ...{ jobs, workspaces, months: 24, tokens: Math.max(100, jobs / 20), auditLines: jobs / 2 },
    biggest: {
      jobs: Math.ceil(jobs / 10),
      ...{
        segments: ofBiggest,
        sets: Math.max(1, Math.round(ofBiggest / 2500)),
        golden: Math.max(100, jobs / 200),
      },
      ...{ invites: Math.max(50, jobs / 500), imports: Math.max(50, jobs / 500) },
    },
    average: {
      jobs: Math.floor((jobs - Math.ceil(jobs / 10)) / (workspaces - 1)),
      ...{ segments: Math.round((segments - ofBiggest) / (workspaces - 1)), sets: 1, golden: 100 },
      ...{ invites: 50, imports: 50 },
    },
  };
}

/** The jobs of the deployments to compare. */
export const sizes: readonly Sizes[] = (process.env['GROWTH_JOBS'] ?? '10000,1000000')
  .split(',')
  .map((jobs) => sizesOf(Number(jobs)));
