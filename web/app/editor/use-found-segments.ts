import { useEffect, useState } from 'react';
import { client } from '../client.ts';
import type { TextQuery } from './find-text.ts';
import type { Languages } from './marks.ts';
import { type FoundSegment, findInTranslations } from './replacements.ts';
import type { SegmentFilter } from './segment-filter.ts';
import type { SegmentSaves } from './segment-saves.ts';
import { searched } from './use-segments.ts';

/** Milliseconds without a keystroke before the search starts. */
const pause = 250;

interface Found {
  segments: readonly FoundSegment[];
  isComplete: boolean;
  error?: unknown;
}

const nothing: Found = { segments: [], isComplete: true };

/**
 * Searches the translations of a document while the reviewer types, page by page. Edits are sent before, so that the
 * search finds them.
 * @returns what is found so far, and a function that searches again
 */
export function useFoundSegments(
  documentId: string,
  { text, matchesCase = false, wholeWords = false }: Omit<TextQuery, 'language'>,
  filter: SegmentFilter,
  languages: Languages,
  saves: SegmentSaves,
): { found: Found; repeat: () => void } {
  const [found, setFound] = useState(nothing);
  const [attempt, setAttempt] = useState(0);
  // The address of the screen creates another filter object at each change of the screen.
  const wanted = JSON.stringify({ text, matchesCase, wholeWords, filter, attempt });
  useEffect(() => {
    const { text, matchesCase, wholeWords, filter } = JSON.parse(wanted);
    setFound(text === '' ? nothing : { segments: [], isComplete: false });
    if (text === '') return;
    const stop = new AbortController();
    const { signal } = stop;
    const run = async () => {
      await saves.flush();
      const query = { text, matchesCase, wholeWords, language: languages.target };
      const segments: FoundSegment[] = [];
      const search = (page: object) =>
        client.documents.search({ document_id: documentId, ...page }, { signal });
      for await (const page of findInTranslations(search, query, searched(filter), languages)) {
        if (signal.aborted) return;
        segments.push(...page);
        setFound({ segments: [...segments], isComplete: false });
      }
      setFound({ segments, isComplete: true });
    };
    const timer = setTimeout(() => {
      run().catch((error: unknown) => {
        if (!signal.aborted) setFound(({ segments }) => ({ segments, isComplete: true, error }));
      });
    }, pause);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [documentId, wanted, languages, saves]);
  return { found, repeat: () => setAttempt((before) => before + 1) };
}
