import type { Attack } from './measure-attack.ts';

/** Every attack, by the name that `npm run bench -- abuse` prints. */
export const attacks = {} as const satisfies Record<string, Attack>;
