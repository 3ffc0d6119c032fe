import { useMemo, useState, useSyncExternalStore } from 'react';
import type { QualityIssue } from '#sdk/types.ts';
import { type Correction, correctionsOf } from './corrections.ts';
import { isOpen } from './finding-actions.ts';
import { markedWords, missingSpans } from './marks.ts';
import type { RowSource } from './row-source.ts';
import type { EditedSegment } from './segment.ts';
import { taggedMarks } from './segment-marks.ts';
import type { Word } from './spelling/words.ts';
import { plainOf, textsOf } from './tagged-text.ts';
import { useErrorMarks, useIssues, useTerms } from './use-segment-data.ts';

const none: ReadonlyMap<QualityIssue, Correction> = new Map();

/** The texts of the open segment as they are now, with marks, findings and corrections. */
export function useOpenText<Segment extends EditedSegment>(segment: Segment, rows: RowSource<Segment>) {
  const { saves, filter } = rows;
  const languages = rows.languagesOf(segment);
  const isReadOnly = rows.isReadOnly(segment);
  const { position, source_text: source, source_content: content, is_html: isHtml = false } = segment;
  const { source: shownSource, target: stored } = useMemo(() => textsOf(segment), [segment]);
  const edit = useSyncExternalStore(saves.subscribe, saves.all).get(position);
  const text = edit?.text ?? stored ?? '';
  const plain = plainOf(text, content);
  // A confirmed text that equals the stored one keeps its findings, also those of the models.
  const isChanged = edit !== undefined && text !== (stored ?? '');
  const { issues, isCurrent } = useIssues(rows.check, segment, isChanged ? text : undefined);
  const open = useMemo(() => issues.filter(isOpen), [issues]);
  const terms = useTerms(segment, languages);
  const errors = useErrorMarks(segment);
  const machine = segment.pipeline_text ?? segment.target_text ?? '';
  const [misspelled, setMisspelled] = useState<readonly Word[]>([]);
  const missing = useMemo(
    () => missingSpans(source, plain, languages, isHtml),
    [source, plain, languages, isHtml],
  );
  const allowed = useMemo(
    () => ({
      ...{ source, language: languages.target, isHtml },
      terms: terms.flatMap(({ target_terms }) => target_terms),
    }),
    [source, languages.target, isHtml, terms],
  );
  const marks = taggedMarks(
    segment,
    { source: shownSource, target: text },
    {
      source,
      target: plain,
      languages,
      isHtml,
      issues: open,
      terms,
      added: [
        ...markedWords(errors, machine, plain),
        ...misspelled
          .filter(({ start, end, text: word }) => plain.slice(start, end) === word)
          .map(({ start, end }) => ({ start, end, kind: 'misspelled' as const })),
      ],
      sought: filter.text,
    },
  );
  const corrections = isReadOnly ? none : correctionsOf(open, { source, target: plain, languages });
  // The findings of a model stay when the text changes. Those of the checks count only for the text as it is now.
  const staysOpen = (segment.quality.issues as QualityIssue[]).some(
    (issue) => isCritical(issue) && isOpen(issue) && issue.found_by !== 'check',
  );
  return {
    ...{
      languages,
      isReadOnly,
      shownSource,
      stored,
      edit,
      text,
      plain,
      marks,
      terms,
      errors,
      machine,
      missing,
    },
    ...{ allowed, setMisspelled, issues, isCurrent, open, corrections },
    isBlocked: edit?.state.kind === 'blocked',
    hasCritical: staysOpen || (isCurrent && open.some(isCritical)),
  };
}

export type OpenText = ReturnType<typeof useOpenText>;

const isCritical = ({ severity }: QualityIssue) => severity === 'critical';
