import { Pencil } from 'lucide-react';
import { memo, Suspense, useMemo } from 'react';
import type { QualityIssue } from '#sdk/types.ts';
import { useT } from '../i18n.tsx';
import { Row } from '../kit/box.tsx';
import { Text } from '../kit/text.tsx';
import { lazily } from '../parts/lazily.tsx';
import { type Status, StatusMark } from '../parts/status-mark.tsx';
import { TextDiff } from '../parts/text-diff.tsx';
import styles from './editor.module.css';
import { isOpen } from './finding-actions.ts';
import { MarkedText } from './marked-text.tsx';
import { type Languages, markedWords } from './marks.ts';
import type { EditedSegment } from './segment.ts';
import { taggedMarks } from './segment-marks.ts';
import type { PendingEdit } from './segment-saves.ts';
import { plainOf, textsOf } from './tagged-text.ts';
import { useErrorMarks, useTerms } from './use-segment-data.ts';

export const MarkList = lazily(async () => ({
  default: (await (await import('./error-marks.tsx')).loadErrorMarks()).MarkList,
}));

interface RowProps {
  segment: EditedSegment;
  /** The reviewer's text, if it is not stored yet. */
  edit: PendingEdit | undefined;
  languages: Languages;
  sought: string | undefined;
  /** Whether the changes since the machine translation are shown. */
  showsChanges: boolean;
  /** Colleagues who have this segment open. */
  holders: readonly string[];
  onOpen: (position: number) => void;
}

/** A segment that is not open: its number and status, the source, and the translation. A click opens it. */
export const SegmentRow = memo(function SegmentRow({
  segment,
  edit,
  languages,
  sought,
  showsChanges,
  holders,
  onOpen,
}: RowProps) {
  const t = useT();
  const { position, source_text: source, kind, is_html: isHtml = false } = segment;
  const issues = edit ? [] : (segment.quality.issues as QualityIssue[]).filter(isOpen);
  const texts = useMemo(() => textsOf(segment), [segment]);
  const target = edit?.text ?? texts.target;
  const plain = target === null ? '' : plainOf(target, segment.source_content);
  const status = shownStatus(segment, issues, edit !== undefined);
  const terms = useTerms(segment, languages);
  const errors = useErrorMarks(segment);
  const machine = segment.pipeline_text ?? segment.target_text ?? '';
  const marks = taggedMarks(
    segment,
    { source: texts.source, target: target ?? '' },
    {
      source,
      target: plain,
      languages,
      isHtml,
      issues: segment.confirmed_at === null ? issues : [],
      added: markedWords(errors, machine, plain),
      terms,
      sought,
    },
  );
  const isDifferent = showsChanges && machine !== plain;
  const [worst] = issues.toSorted((one, other) => weight(other) - weight(one));
  return (
    <div
      className={styles['row']}
      data-heading={kind === 'heading' || undefined}
      data-held={holders.length > 0 || undefined}
      onClick={() => onOpen(position)}
    >
      <div role="rowheader" className={styles['number']}>
        {position + 1}
        <StatusMark status={status} />
        <span className="visually-hidden">{t(`editor.status_${status}`)}</span>
      </div>
      <div role="gridcell" className={styles['source']} tabIndex={-1}>
        <MarkedText text={texts.source} marks={marks.source} language={languages.source} />
      </div>
      <div role="gridcell" className={styles['target']} tabIndex={-1}>
        {holders.length > 0 && (
          <span className={styles['holder']}>
            <Pencil size={11} aria-hidden /> {t('editor.written_by', { name: holders.join(', ') })}
          </span>
        )}
        {target === null && <span className={styles['missing']}>{t('editor.untranslated')}</span>}
        {target !== null && isDifferent && (
          <TextDiff before={machine} after={plain} language={languages.target} />
        )}
        {target !== null && !isDifferent && (
          <MarkedText text={target} marks={marks.target} language={languages.target} />
        )}
        {errors.length > 0 && (
          <Suspense>
            <MarkList
              {...{ segment, machine, marks: errors }}
              language={languages.target}
              canRemove={false}
            />
          </Suspense>
        )}
        {worst && segment.confirmed_at === null && (
          <Row as="p" isTight>
            <StatusMark status={worst.severity === 'critical' ? 'critical' : 'warning'} size={13} />
            <Text as="bdi" size="xs" weight="medium" tone={worst.severity === 'critical' ? 'crit' : 'warn'}>
              {worst.explanation}
            </Text>
          </Row>
        )}
      </div>
    </div>
  );
});

/** The status that a row shows: that of the stored segment, or of the reviewer's text. */
export function shownStatus(
  segment: EditedSegment,
  issues: readonly QualityIssue[],
  isEdited: boolean,
): Status {
  if (!isEdited) return segment.status;
  return issues.some(({ severity }) => severity === 'critical') ? 'critical' : 'draft';
}

const weights = { minor: 0, major: 1, critical: 2 };

function weight({ severity }: { severity: keyof typeof weights }): number {
  return weights[severity];
}
