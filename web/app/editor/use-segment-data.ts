import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { QualityCheckError, QualityIssue } from '#sdk/types.ts';
import { client } from '../client.ts';
import { procedures } from '../procedures.ts';
import { queryKeys } from '../query-keys.ts';
import { isVisitor } from '../session/keeper.ts';
import type { Languages } from './marks.ts';
import type { SegmentCheck } from './row-source.ts';
import type { EditedSegment } from './segment.ts';
import { TermLoader, type Terms } from './term-loader.ts';

/** Milliseconds without a keystroke before a text is checked. */
const pause = 300;

/** The terms and TM matches of a segment change rarely, so they are loaded once a minute at most. */
const staleTime = 60_000;

const noTerms: Terms = [];

/**
 * The issues of a segment: those that the service stored, or those of the reviewer's text, which the service checks
 * without a model.
 * @param edited the reviewer's text; undefined if it equals the stored translation
 */
export function useIssues<Segment extends EditedSegment>(
  { queryKey, run, isChecked }: SegmentCheck<Segment>,
  segment: Segment,
  edited: string | undefined,
) {
  const text = edited ?? (isChecked?.(segment) === false ? (segment.target_text ?? '') : undefined);
  const [checked, setChecked] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setChecked(text), pause);
    return () => clearTimeout(timer);
  }, [text]);
  const check = useQuery({
    queryKey: queryKey(segment, checked),
    queryFn: ({ signal }) => run(segment, checked ?? '', signal),
    placeholderData: (before) => before,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    enabled: checked !== undefined && checked.trim() !== '',
  });
  const stored = segment.quality.issues as QualityIssue[];
  return {
    issues: text === undefined ? stored : (check.data?.issues ?? []),
    /** Whether the issues belong to the text as it is now. */
    isCurrent: text === undefined || (checked === text && !check.isFetching),
    error: check.error,
  };
}

const termLoader = new TermLoader((request) => procedures.terminology.matchesOfTexts.mutate(request));

/** The glossary terms in a segment's source. Segments that are shown at the same time share a request. */
export function useTerms({ source_text, is_html: isHtml = false }: EditedSegment, languages: Languages) {
  const { data } = useQuery({
    queryKey: queryKeys.terminology.matches(source_text, languages, isHtml),
    queryFn: ({ signal }) => termLoader.load({ text: source_text, languages, isHtml, signal }),
    // A row without terms is not rendered again when they are loaded.
    select: (terms) => (terms.length > 0 ? terms : undefined),
    enabled: !isVisitor(),
    staleTime,
    // A large document has many rows, and few of them are seen again.
    gcTime: staleTime,
  });
  return data ?? noTerms;
}

const noMarks: readonly QualityCheckError[] = [];

/** The item of the marks of a segment: the document of the screen, or the job of a text. */
export function useMarkedItem({ id = '', position }: EditedSegment) {
  const { documentId } = useParams({ strict: false });
  return documentId === undefined
    ? ({ item_kind: 'job', item_id: id, position: 0 } as const)
    : ({ item_kind: 'document', item_id: documentId, position } as const);
}

/** The errors that reviewers marked in the machine translation of a segment. */
export function useErrorMarks(segment: EditedSegment) {
  const { item_kind, item_id, position } = useMarkedItem(segment);
  const document_id = item_kind === 'document' ? item_id : undefined;
  const { data } = useQuery({
    queryKey: queryKeys.quality.marks(document_id),
    queryFn: () => procedures.quality.marks.query({ document_id }),
    select: ({ marks }) => marks.find((one) => one.item_id === item_id && one.position === position)?.errors,
    enabled: !isVisitor(),
    staleTime,
  });
  return data ?? noMarks;
}

/** The TM matches for a segment's source, the best first. */
export function useMatches(
  { source_text, is_html, document_id, position }: EditedSegment,
  { source, target }: Languages,
) {
  const segment = document_id === undefined ? undefined : { document_id, position };
  return useQuery({
    queryKey: queryKeys.memory.matches(
      `${source} ${target} ${segment ? `${document_id} ${position}` : ''} ${source_text}`,
    ),
    queryFn: ({ signal }) =>
      client.memory.matches(
        {
          ...{ source_text, source_lang: source, target_lang: target, text_type: is_html ? 'Html' : 'Plain' },
          ...(segment && { segment }),
        },
        { signal },
      ),
    enabled: !isVisitor(),
    staleTime,
  });
}
