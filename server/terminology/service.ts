export { createGlossaries, type Glossaries, type Glossary, type TermCheck } from './glossary.ts';
export { selectRevision as readGlossaryRevision, type TermRow } from './queries/terms.ts';
export { listSets, removeSet } from './sets.ts';
export { uploadGlossary } from './upload.ts';
