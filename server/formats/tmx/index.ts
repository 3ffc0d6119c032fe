/** Translation memories as TMX 1.4b: read as a stream of units, written as one. */
export { TmxError, type TmxReason } from './error.ts';
export { readTmx, type TmxSummary } from './read.ts';
export type { TmxSides } from './sides.ts';
export type { TmxPair } from './unit.ts';
export { type TmxHead, type TmxUnit, tmxHead, tmxTail, tmxUnit } from './write.ts';
