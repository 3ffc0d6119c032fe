import { useQueryClient } from '@tanstack/react-query';
import { LinguaLoopError } from '#sdk/errors.ts';
import type { NewGlossary, TerminologySet } from '#sdk/types.ts';
import { queryKeys } from '../query-keys.ts';
import { glossaryService } from './use-glossaries.ts';

/** Maximum length of a glossary's name. */
export const maxNameLength = 128;

/**
 * Returns a function that creates a glossary without terms. The list of glossaries is then read again, also after an
 * error, because another member may have created the same glossary.
 */
export function useNewGlossary(): (glossary: NewGlossary) => Promise<TerminologySet> {
  const queries = useQueryClient();
  return async (glossary) => {
    try {
      return await glossaryService.create(glossary);
    } finally {
      await queries.invalidateQueries({ queryKey: queryKeys.terminology.all });
    }
  };
}

/** Whether a glossary was not created, because another one has its name. */
export function isNameTaken(error: unknown): boolean {
  return error instanceof LinguaLoopError && error.code === 'state_conflict';
}
