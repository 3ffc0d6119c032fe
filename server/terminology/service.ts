export { createGlossaries, type Glossaries, type Glossary, type TermCheck } from './glossary.ts';
export { listSets, removeSet } from './sets.ts';
export { selectRevision as readGlossaryRevision, type TermRow } from './terms.ts';
export { uploadGlossary } from './upload.ts';
