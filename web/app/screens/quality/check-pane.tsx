import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, useRef, useState } from 'react';
import type { QualityCheck, QualityCheckError } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { Grid, Row, Stack } from '../../kit/box.tsx';
import { Card } from '../../kit/card.tsx';
import { Field, Labelled } from '../../kit/field.tsx';
import { Segments } from '../../kit/segments.tsx';
import { Flaw, Text } from '../../kit/text.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { useLanguages } from '../../parts/languages.tsx';
import { Read } from '../../parts/loading.tsx';
import { Problem } from '../../parts/problem.tsx';
import { searchedText } from '../../parts/searched-text.ts';
import { useAction } from '../../parts/use-action.ts';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import styles from './quality.module.css';

const categories = ['accuracy', 'fluency', 'terminology', 'style', 'locale'] as const;
const severities = ['minor', 'major', 'critical'] as const;

/** The errors that a member has marked in a text, and a note that belongs to none yet. */
export interface Marks {
  errors: QualityCheckError[];
  note: string;
}

export const noMarks: Marks = { errors: [], note: '' };

/** One check: the texts, and the errors that are marked in the translation, or the result. */
export function CheckPane({
  checkId,
  marks,
  onMarks,
  onDone,
}: {
  checkId: string;
  marks: Marks;
  onMarks: (marks: Marks) => void;
  onDone: () => Promise<void>;
}) {
  const check = useQuery({
    queryKey: queryKeys.quality.check(checkId),
    queryFn: () => procedures.quality.check.query({ check_id: checkId }),
  });
  return (
    <Stack gap={4}>
      <Read from={check} lines={10}>
        {(found) =>
          found.checked_at === null ? (
            <OpenCheck of={found} marks={marks} onMarks={onMarks} onDone={onDone} />
          ) : (
            <DoneCheck of={found} />
          )
        }
      </Read>
    </Stack>
  );
}

function OpenCheck({
  of: check,
  marks: { errors, note },
  onMarks,
  onDone,
}: {
  of: QualityCheck;
  marks: Marks;
  onMarks: (marks: Marks) => void;
  onDone: () => Promise<void>;
}) {
  const t = useT();
  const { run, error, isBusy } = useAction();
  const [isNoteLeft, setNoteLeft] = useState(false);
  const target = useRef<HTMLTextAreaElement>(null);
  const decide = (skip: boolean) =>
    run(async () => {
      // A note without a marked error would be lost, and the text would count as one without errors.
      if (note !== '' && !skip) return setNoteLeft(true);
      const done = await procedures.quality.decide.mutate({
        check_id: check.check_id,
        errors: skip ? [] : errors,
        skip,
      });
      announce(
        done.verdict === null || done.score === null
          ? t('quality.skipped')
          : t('quality.saved', { verdict: t(`quality.verdict_${done.verdict}`), score: done.score }),
      );
      await onDone();
    });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void decide(false)();
  };
  return (
    <Stack gap={4} onKeyDown={onKeyDown}>
      <Texts of={check} target={target} />
      <MarkError
        note={note}
        onNote={(changed) => onMarks({ errors, note: changed })}
        onMark={(marked) => {
          const { selectionStart = 0, selectionEnd = 0 } = target.current ?? {};
          const [start, end] =
            selectionStart === selectionEnd ? [0, check.target_text.length] : [selectionStart, selectionEnd];
          setNoteLeft(false);
          onMarks({ errors: [...errors, { ...marked, note, start, end }], note: '' });
        }}
      />
      <Errors
        of={check}
        errors={errors}
        onRemove={(at) => onMarks({ errors: errors.toSpliced(at, 1), note })}
      />
      {error ? <Problem error={error} /> : null}
      {isNoteLeft && note !== '' && <Flaw role="alert">{t('quality.note_left')}</Flaw>}
      <Row gap={3}>
        <button type="button" className="primary" aria-busy={isBusy} onClick={decide(false)}>
          {t(errors.length === 0 ? 'quality.no_error' : 'quality.save', { errors: errors.length })}
          <kbd>Ctrl ⏎</kbd>
        </button>
        <button type="button" onClick={decide(true)}>
          {t('quality.skip')}
        </button>
        <span className="hint">{t('quality.blind')}</span>
      </Row>
    </Stack>
  );
}

/** The source next to the translation, in which words can be selected by mouse and by keyboard. */
function Texts({
  of: check,
  target,
}: {
  of: QualityCheck;
  target?: React.RefObject<HTMLTextAreaElement | null>;
}) {
  const t = useT();
  const { utcDay } = useFormat();
  const { nameOf } = useLanguages();
  const facts = [check.name ?? t('quality.text'), utcDay(check.day), check.domain];
  const rows = Math.min(14, 2 + Math.ceil(Math.max(check.source_text.length, check.target_text.length) / 42));
  return (
    <>
      <Text as="p" tone="soft">
        {facts.filter(Boolean).join(' · ')}
      </Text>
      <Grid least={18} gap={3}>
        {(['source', 'target'] as const).map((side) => (
          <Labelled key={side} label={nameOf(check[`${side}_lang`])}>
            {(control) => (
              <textarea
                {...control}
                ref={(area) => keepUnchanged(area, side === 'target' ? target : undefined)}
                className={styles[side]}
                aria-readonly
                rows={rows}
                dir="auto"
                lang={check[`${side}_lang`]}
                value={check[`${side}_text`]}
                onChange={() => {}}
              />
            )}
          </Labelled>
        ))}
      </Grid>
    </>
  );
}

/**
 * Refuses changes of a text whose words can be selected. A field with `readOnly` has no selection by keyboard in some
 * browsers.
 */
function keepUnchanged(
  area: HTMLTextAreaElement | null,
  target: React.RefObject<HTMLTextAreaElement | null> | undefined,
): () => void {
  const refuse = (event: Event) => event.preventDefault();
  area?.addEventListener('beforeinput', refuse);
  if (target) {
    target.current = area;
    // After a decision, the keyboard continues in the next text.
    if (area && (document.activeElement === document.body || document.activeElement === null)) area.focus();
  }
  return () => area?.removeEventListener('beforeinput', refuse);
}

/** Marks the selected words of the translation, or the whole translation, as an error. */
function MarkError({
  note,
  onNote,
  onMark,
}: {
  note: string;
  onNote: (note: string) => void;
  onMark: (error: Pick<QualityCheckError, 'category' | 'severity'>) => void;
}) {
  const t = useT();
  const [category, setCategory] = useState<QualityCheckError['category']>('accuracy');
  return (
    <Card pad={4}>
      <Segments
        label={t('quality.mark')}
        isLabelShown
        value={category}
        options={categories.map((one) => [one, t(`quality.category_${one}`)])}
        onChange={setCategory}
      />
      <Field label={t('quality.note')} value={note} maxLength={500} onValue={onNote} />
      <Row>
        {severities.map((severity) => (
          <button
            key={severity}
            type="button"
            className={styles['severity']}
            onClick={() => onMark({ category, severity })}
          >
            {t(`quality.mark_${severity}`)}
            <Text size="xs" tone="soft" weight="regular">
              {t(`quality.means_${severity}`)}
            </Text>
          </button>
        ))}
      </Row>
    </Card>
  );
}

function Errors({
  of: { target_text, target_lang },
  errors,
  onRemove,
}: {
  of: QualityCheck;
  errors: readonly QualityCheckError[];
  onRemove?: (at: number) => void;
}) {
  const t = useT();
  if (errors.length === 0) return null;
  return (
    <Stack as="ul" gap={2} aria-label={t('quality.errors')}>
      {errors.map(({ category, severity, start, end, note }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: errors have no ID, and equal ones look alike
        <Row as="li" key={at} gap={3} align="baseline">
          <Verdict of={severity} />
          <span>
            {t(`quality.category_${category}`)}
            {': '}
            <q lang={target_lang}>{target_text.slice(start, end)}</q>
            {note && ` · ${note}`}
          </span>
          {onRemove && (
            <button type="button" className="ghost" onClick={() => onRemove(at)}>
              {t('quality.remove')}
            </button>
          )}
        </Row>
      ))}
    </Stack>
  );
}

const tones = { none: 'ok', minor: 'warn', major: 'crit', critical: 'crit' } as const;

function Verdict({ of }: { of: keyof typeof tones }) {
  const t = useT();
  return (
    <Text as="b" tone={tones[of]}>
      {t(`quality.verdict_${of}`)}
    </Text>
  );
}

function DoneCheck({ of: check }: { of: QualityCheck }) {
  const t = useT();
  const { moment, number } = useFormat();
  const { verdict, score, checked_at, checked_by } = check;
  return (
    <>
      <Texts of={check} />
      <p>
        {verdict && <Verdict of={verdict} />}
        {` · ${[checked_by, checked_at && moment(checked_at)].filter(Boolean).join(', ')}`}
        {score !== null && ` · ${t('quality.score_was', { score: number(score) })}`}
      </p>
      <Errors of={check} errors={check.errors} />
      <p>
        <Link
          to="/app/concordance"
          search={{
            text: searchedText(check.source_text) ?? '',
            from: check.source_lang,
            to: check.target_lang,
          }}
        >
          {t('quality.find_in_tm')}
        </Link>
      </p>
    </>
  );
}
