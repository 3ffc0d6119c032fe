import { failingRuns } from './failing-runs.ts';
import { glossaryAttack } from './glossary.ts';
import { bombsOfTen, drawsOfOne, drawsOfTen } from './hostile-uploads.ts';
import { manyProblems } from './many-problems.ts';
import { manySets } from './many-sets.ts';
import type { Attack } from './measure-attack.ts';
import { pipelinedDocs } from './pipelined-docs.ts';
import {
  alignments,
  estimates,
  patternPrograms,
  slowPatterns,
  slowPlaceholders,
  xliffAttributes,
} from './shared-work.ts';
import { slowBodies } from './slow-bodies.ts';
import { strangers } from './strangers.ts';
import { trickledExports } from './trickled-exports.ts';
import { unreadAnswers } from './unread-responses.ts';

/** All attacks, by the name that `npm run bench -- abuse` prints. */
export const attacks = {
  'failing-runs': failingRuns,
  glossary: glossaryAttack,
  'many-sets': manySets,
  'many-problems': manyProblems,
  'pipelined-docs': pipelinedDocs,
  'unread-answers': unreadAnswers,
  'trickled-exports': trickledExports,
  'slow-bodies': slowBodies,
  'pdf-draws-of-one': drawsOfOne,
  'pdf-draws-of-ten': drawsOfTen,
  'hostile-files': bombsOfTen,
  'pattern-programs': patternPrograms,
  'slow-patterns': slowPatterns,
  'slow-placeholders': slowPlaceholders,
  estimates,
  alignments,
  'xliff-attributes': xliffAttributes,
  ...strangers,
} as const satisfies Record<string, Attack>;
