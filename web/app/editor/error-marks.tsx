import { useMutation, useQueryClient } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, useId, useState } from 'react';
import { quality } from '#sdk/quality.ts';
import type { QualityCheckError } from '#sdk/types.ts';
import { bound } from '../client.ts';
import { loadWords, useT } from '../i18n.tsx';
import { Row, Stack } from '../kit/box.tsx';
import { Card } from '../kit/card.tsx';
import { Badge, Text } from '../kit/text.tsx';
import { announce } from '../parts/announcer.tsx';
import { Problem } from '../parts/problem.tsx';
import { queryKeys } from '../query-keys.ts';
import styles from './editor.module.css';
import type { EditedSegment } from './segment.ts';
import { useMarkedItem } from './use-segment-data.ts';

const service = bound(quality);

const categories = ['accuracy', 'fluency', 'terminology', 'style', 'locale'] as const;
const severities = ['minor', 'major', 'critical'] as const;
/** The letters that select a severity. */
const letters = { minor: 'm', major: 'j', critical: 'c' } as const;

const tones = { minor: undefined, major: 'waits', critical: 'bad' } as const;

/** Loads this module with its words. */
export async function loadErrorMarks() {
  await Promise.all([loadWords('tools'), loadWords('quality')]);
  return { MarkError, MarkList };
}

/** Stores the marks of a segment, which were read as `marks`. */
function useMarking(segment: EditedSegment, marks: readonly QualityCheckError[]) {
  const queries = useQueryClient();
  const item = useMarkedItem(segment);
  const queryKey = queryKeys.quality.marks(item.item_kind === 'document' ? item.item_id : undefined);
  return useMutation({
    mutationFn: (errors: QualityCheckError[]) => service.mark({ ...item, errors, known: [...marks] }),
    // After a conflict, the marks of the colleague are shown.
    onSettled: () => queries.invalidateQueries({ queryKey }),
  });
}

interface MarkedSegment {
  segment: EditedSegment;
  marks: readonly QualityCheckError[];
  /** The machine translation, to which the marks belong. */
  machine: string;
  language: string;
}

/**
 * Asks for the category and severity of an error in the machine translation, and stores the mark. Digits select the
 * category, letters the severity.
 * @param words the selected words, with their start in the text of the field
 */
export function MarkError({
  segment,
  marks,
  machine,
  language,
  words,
  onClose,
}: MarkedSegment & { words: { text: string; start: number }; onClose: () => void }) {
  const t = useT();
  const group = useId();
  const [category, setCategory] = useState<QualityCheckError['category']>('accuracy');
  const [severity, setSeverity] = useState<QualityCheckError['severity']>('major');
  const [note, setNote] = useState('');
  const { mutate, error, isPending } = useMarking(segment, marks);
  const { start, end } = placeOf(words, machine);
  const isWhole = end - start === machine.length;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isPending) return;
    mutate([...marks, { category, severity, start, end, note: note.trim() }], {
      onSuccess: () => {
        announce(
          `${t('tools.marked')} ${t(`quality.category_${category}`)}, ${t(`quality.verdict_${severity}`)}`,
        );
        onClose();
      },
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose();
    const isNote = event.target instanceof HTMLInputElement && event.target.type === 'text';
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    // The keys of the list do not act here.
    event.stopPropagation();
    if (isNote && event.key !== 'Escape') return;
    const chosen = categories[Number(event.key) - 1];
    if (chosen) setCategory(chosen);
    const weight = severities.find((one) => letters[one] === event.key.toLowerCase());
    if (weight) setSeverity(weight);
    if (chosen || weight || event.key === 'Escape') event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveElementInteractions: the keys are those of the choices in the form
    <Card as="form" pad={3} aria-label={t('editor.mark_error')} onSubmit={submit} onKeyDown={onKeyDown}>
      <Text as="p" tone="soft">
        {isWhole ? t('tools.mark_whole') : t('tools.mark_words')}{' '}
        {!isWhole && <q lang={language}>{machine.slice(start, end)}</q>}
      </Text>
      <fieldset className={styles['pills']}>
        <legend>{t('quality.category')}</legend>
        {categories.map((one, index) => (
          <label key={one}>
            <input
              type="radio"
              name={`${group}-category`}
              // biome-ignore lint/a11y/noAutofocus: the reviewer has just asked for this choice
              autoFocus={index === 0}
              checked={one === category}
              onChange={() => setCategory(one)}
            />
            <kbd aria-hidden>{index + 1}</kbd> {t(`quality.category_${one}`)}
          </label>
        ))}
      </fieldset>
      <fieldset className={styles['pills']}>
        <legend>{t('tools.severity')}</legend>
        {severities.map((one) => (
          <label key={one} title={t(`quality.means_${one}`)}>
            <input
              type="radio"
              name={`${group}-severity`}
              checked={one === severity}
              onChange={() => setSeverity(one)}
            />
            <kbd aria-hidden>{letters[one].toUpperCase()}</kbd> {t(`quality.verdict_${one}`)}
          </label>
        ))}
      </fieldset>
      <label>
        {t('quality.note')}
        <input type="text" value={note} maxLength={500} onChange={({ target }) => setNote(target.value)} />
      </label>
      {error ? <Problem error={error} /> : null}
      <Row>
        <button type="submit" className="primary small" aria-busy={isPending}>
          {t('editor.mark_error')} <kbd>⏎</kbd>
        </button>
        <button type="button" className="ghost small" onClick={onClose}>
          {t('common.cancel')} <kbd>Esc</kbd>
        </button>
      </Row>
    </Card>
  );
}

/**
 * The place of selected words in the machine translation. Words that it does not have are the reviewer's own: then the
 * whole machine translation is marked, as without a selection.
 */
function placeOf({ text, start }: { text: string; start: number }, machine: string) {
  const places = text === '' ? [] : [machine.indexOf(text, start), machine.lastIndexOf(text, start)];
  const [first] = places
    .filter((at) => at !== -1)
    .sort((one, other) => Math.abs(one - start) - Math.abs(other - start));
  return first === undefined ? { start: 0, end: machine.length } : { start: first, end: first + text.length };
}

/** The marks below a translation. @param canRemove whether the review is open */
export function MarkList({
  segment,
  marks,
  machine,
  language,
  canRemove,
}: MarkedSegment & { canRemove: boolean }) {
  const t = useT();
  const { mutate, error, isPending } = useMarking(segment, marks);
  return (
    <>
      <Stack as="ul" gap={1} aria-label={t('tools.marks')}>
        {marks.map(({ category, severity, start, end, note }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: marks have no ID, and equal ones look alike
          <Row as="li" key={at} isTight>
            <Badge tone={tones[severity]}>{t(`quality.verdict_${severity}`)}</Badge>
            <Text size="xs" tone="soft">
              {t(`quality.category_${category}`)}
              {end - start < machine.length && (
                <>
                  {': '}
                  <q lang={language}>{machine.slice(start, end)}</q>
                </>
              )}
              {note && (
                <>
                  {' · '}
                  <bdi>{note}</bdi>
                </>
              )}
            </Text>
            {canRemove && (
              <button
                type="button"
                className="ghost small"
                aria-label={t('tools.remove_mark', { mark: t(`quality.category_${category}`) })}
                title={t('quality.remove')}
                aria-disabled={isPending}
                onClick={() => isPending || mutate(marks.toSpliced(at, 1))}
              >
                <X size={13} aria-hidden />
              </button>
            )}
          </Row>
        ))}
      </Stack>
      {error ? <Problem error={error} /> : null}
    </>
  );
}
