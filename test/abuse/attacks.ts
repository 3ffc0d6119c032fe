import { failingRuns } from './failing-runs.ts';
import { glossaryAttack } from './glossary.ts';
import { manySets } from './many-sets.ts';
import type { Attack } from './measure-attack.ts';

/** Every attack, by the name that `npm run bench -- abuse` prints. */
export const attacks = {
  'failing-runs': failingRuns,
  glossary: glossaryAttack,
  'many-sets': manySets,
} as const satisfies Record<string, Attack>;
