export { exportGolden, exportSet } from './exporting.ts';
export { type Received, receiveImport } from './imports/receive.ts';
export { resumeImports, runImport } from './imports/run.ts';
export { indexSet, indexWaiting } from './indexing.ts';
export { isUntranslated, type JobPair, learnFromJob, unlearnJob } from './learning.ts';
export { type CloseHit, type CloseHits, findClose } from './lookup/close.ts';
export { type ExactLookup, lookUpExact, pairName } from './lookup/exact.ts';
export type { MemoryHit } from './queries/exact.ts';
export { listImports, listSets, readImport, removeSet } from './sets.ts';
