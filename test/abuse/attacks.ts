import { bombsOfTen, drawsOfOne, drawsOfTen } from './hostile-uploads.ts';
import type { Attack } from './measure-attack.ts';

/** Every attack, by the name that `npm run bench -- abuse` prints. */
export const attacks = {
  'pdf-draws-of-one': drawsOfOne,
  'pdf-draws-of-ten': drawsOfTen,
  'hostile-files': bombsOfTen,
} as const satisfies Record<string, Attack>;
