import { Link, useNavigate } from '@tanstack/react-router';
import { Pencil, Trash2 } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { ConflictError, NotFoundError } from '#sdk/status-errors.ts';
import type { MemoryProblemUnit, MemoryUnit } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { isKey } from '../../keys/match-key.ts';
import { ActionButton } from '../../kit/action-button.tsx';
import { Row } from '../../kit/box.tsx';
import { Text } from '../../kit/text.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { LanguageText } from '../../parts/language-text.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useAction } from '../../parts/use-action.ts';
import { translationService } from '../../translation-service.ts';
import {
  type GridRow,
  type RowEditing,
  useEditedRow,
  useRowActions,
  useRowFields,
  useRowKeys,
} from './row-keys.tsx';
import type { SearchedSide } from './search.ts';
import styles from './terms.module.css';
import type { MemoryChanges } from './use-memory-changes.ts';

/** Part of a text, as UTF-16 offsets. */
interface Span {
  start: number;
  end: number;
}

/** A segment, with its problems, or with the places of a searched text. */
export type ListedUnit = MemoryUnit &
  Partial<Pick<MemoryProblemUnit, 'problems'>> & { spans?: readonly Span[] };

/**
 * Segments of TMs as a grid. The arrow keys move between rows; Enter edits a segment in its row, and Delete deletes it.
 * @param marked the side in which the `spans` of each segment are marked
 * @param withSet whether the TM of each segment is shown
 */
export function UnitList({
  units,
  changes,
  marked,
  withSet = false,
}: {
  units: readonly ListedUnit[];
  changes: MemoryChanges;
  marked?: SearchedSide;
  withSet?: boolean;
}) {
  const t = useT();
  const { edited, edit, editing } = useEditedRow<string>();
  const keys = useRowKeys();
  const rows = units.map((unit, place) => {
    const key = `${unit.set_id} ${unit.unit_no}`;
    if (key === edited)
      return <UnitEditRow key={key} unit={unit} onSave={changes.update} editing={editing(key)} />;
    const row = keys.row(place);
    return (
      <UnitRow
        key={key}
        {...{ unit, marked, withSet, row }}
        onEdit={() => edit(key)}
        onDelete={() => changes.remove([unit])}
      />
    );
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: rows can be focused, as in a grid
    <table ref={keys.grid} role="grid" aria-label={t('sets.units')} className={styles.grid}>
      <thead>
        <tr>
          <th scope="col">{t('sets.source')}</th>
          <th scope="col">{t('sets.target')}</th>
          <th scope="col">{t(withSet ? 'sets.from_set' : 'sets.changed')}</th>
          <th scope="col">{t('sets.used')}</th>
          <th scope="col">
            <span className="visually-hidden">{t('sets.actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>{rows}</tbody>
    </table>
  );
}

function UnitRow({
  unit,
  marked,
  withSet,
  row,
  onEdit,
  onDelete,
}: {
  unit: ListedUnit;
  marked: SearchedSide | undefined;
  withSet: boolean;
  row: GridRow;
  onEdit: () => void;
  onDelete: () => Promise<void>;
}) {
  const t = useT();
  const { day, moment, number } = useFormat();
  const { rowProps, buttonProps, remove, error } = useRowActions(row, onEdit, onDelete);
  return (
    <tr {...rowProps} className={styles.row}>
      <td>
        <LanguageText as="span" language={unit.source_lang} className={styles.text}>
          {markSpans(unit.source_text, marked === 'source' ? unit.spans : undefined)}
        </LanguageText>
      </td>
      <td>
        <LanguageText as="span" language={unit.target_lang} className={styles.text}>
          {markSpans(unit.target_text, marked === 'target' ? unit.spans : undefined)}
        </LanguageText>
        {unit.problems && <UnitProblems unit={unit} problems={unit.problems} />}
      </td>
      <td>
        <Text as="div" size="xs" tone="soft">
          {withSet && (
            <div>
              <Link to="/app/memories/$setId" params={{ setId: unit.set_id }}>
                <bdi translate="no">{unit.set_name}</bdi>
              </Link>
            </div>
          )}
          <div>
            <time dateTime={unit.changed_at}>{day(unit.changed_at)}</time>
            {unit.changed_by !== null && (
              <>
                {' · '}
                <bdi translate="no">{unit.changed_by}</bdi>
              </>
            )}
          </div>
          <UnitOrigin unit={unit} />
        </Text>
        {error ? <Problem error={error} /> : null}
      </td>
      <td
        className={styles.used}
        data-label={t('sets.used')}
        title={unit.served_at === null ? undefined : t('sets.used_at', { time: moment(unit.served_at) })}
      >
        {number(unit.served)}
      </td>
      <td className={styles.acts}>
        <button
          {...buttonProps}
          aria-label={t('sets.edit_term', { term: unit.source_text })}
          title={t('sets.edit')}
          onClick={onEdit}
        >
          <Pencil size={15} aria-hidden />
        </button>
        <button
          {...buttonProps}
          aria-label={t('sets.delete_term', { term: unit.source_text })}
          title={t('sets.delete')}
          onClick={remove}
        >
          <Trash2 size={15} aria-hidden />
        </button>
      </td>
    </tr>
  );
}

/** What is wrong with a segment, under its translation. */
function UnitProblems({ unit, problems }: { unit: MemoryUnit; problems: MemoryProblemUnit['problems'] }) {
  const t = useT();
  return (
    <Text as="ul" size="xs" tone="warn" className="bare">
      {problems.map(({ kind, text, set_name: set }) => (
        <li key={kind}>
          {t(`sets.found_${kind}`)}
          {set !== null && (
            <>
              {' '}
              <bdi translate="no">{set}</bdi>
            </>
          )}
          {text !== null && (
            <>
              {': '}
              <LanguageText
                as="bdi"
                language={kind === 'numbers' || kind === 'tags' ? unit.source_lang : unit.target_lang}
              >
                {text}
              </LanguageText>
            </>
          )}
        </li>
      ))}
    </Text>
  );
}

/** Marks parts of a text. The spans must be in order and must not overlap. */
export function markSpans(text: string, spans: readonly Span[] = []): ReactNode {
  return [
    ...spans.flatMap(({ start, end }, index) => [
      text.slice(spans[index - 1]?.end ?? 0, start),
      <mark key={start}>{text.slice(start, end)}</mark>,
    ]),
    text.slice(spans.at(-1)?.end ?? 0),
  ];
}

/** The origin of a segment: an imported file, or the text or document whose ID is the segment's `tuid`. */
export function UnitOrigin({ unit: { origin, tuid, file_name: file } }: { unit: MemoryUnit }) {
  const t = useT();
  const navigate = useNavigate();
  if (origin === 'tmx_import')
    return file === null ? t('sets.from_import') : <bdi translate="no">{file}</bdi>;
  const open = async () => {
    const isText = await translationService.get(tuid).then(
      () => true,
      (thrown: unknown) => {
        if (thrown instanceof NotFoundError) return false;
        throw thrown;
      },
    );
    await (isText
      ? navigate({ to: '/jobs/$jobId', params: { jobId: tuid } })
      : navigate({ to: '/app/edit/documents/$documentId', params: { documentId: tuid } }));
  };
  return (
    <ActionButton className="link" onRun={open}>
      {t('sets.from_translation')}
    </ActionButton>
  );
}

/**
 * A segment with fields instead of texts. Ctrl+Enter saves it, Escape cancels. If another member has changed it, the row
 * shows the present texts, and the member decides.
 */
function UnitEditRow({
  unit,
  onSave,
  editing,
}: {
  unit: MemoryUnit;
  onSave: MemoryChanges['update'];
  editing: RowEditing;
}) {
  const t = useT();
  const first = useRef<HTMLTextAreaElement>(null);
  const { run, error, isBusy } = useAction();
  const [start] = useState({ source_text: unit.source_text, target_text: unit.target_text });
  const [texts, setTexts] = useState(start);
  // A reload of the list must not change what the member saw when editing began.
  const [seen, setSeen] = useState(unit);
  useRowFields(first, editing, texts !== start);
  const save = (base: MemoryUnit) =>
    run(async () => {
      await onSave(base, texts);
      announce(t('sets.unit_saved'));
      editing.close();
    });
  const present = error instanceof ConflictError ? (error.present as MemoryUnit | undefined) : undefined;
  const onKeyDown = (event: KeyboardEvent) => {
    editing.onKeyDown(event);
    if (isKey(event.nativeEvent, 'Mod+Enter')) void save(seen)();
  };
  const field = (name: 'source_text' | 'target_text', language: string) => (
    <td>
      <textarea
        ref={name === 'target_text' ? first : undefined}
        aria-label={t(name === 'source_text' ? 'sets.source' : 'sets.target')}
        lang={language}
        dir="auto"
        rows={3}
        value={texts[name]}
        onChange={({ target }) => setTexts((before) => ({ ...before, [name]: target.value }))}
      />
    </td>
  );
  return (
    <>
      <tr className={styles.edited} onKeyDown={onKeyDown}>
        {field('source_text', unit.source_lang)}
        {field('target_text', unit.target_lang)}
        <td colSpan={2}>
          <Text size="xs" tone="soft">
            {t('sets.edit_why')}
          </Text>
        </td>
        <td>
          <Row justify="end">
            <button type="button" className="primary" aria-disabled={isBusy} onClick={save(seen)}>
              {t('sets.save')}
            </button>
            <button type="button" disabled={isBusy} onClick={editing.close}>
              {t('common.cancel')}
            </button>
          </Row>
        </td>
      </tr>
      {error !== undefined && (
        <tr>
          <td colSpan={5}>
            {!present && <Problem error={error} />}
            {present && (
              <Row role="alert">
                <p>
                  {t('sets.unit_changed')}{' '}
                  <bdi translate="no">
                    {present.source_text} → {present.target_text}
                  </bdi>
                </p>
                <button
                  type="button"
                  aria-disabled={isBusy}
                  onClick={() => {
                    setSeen(present);
                    void save(present)();
                  }}
                >
                  {t('sets.keep_mine')}
                </button>
                <button type="button" disabled={isBusy} onClick={editing.close}>
                  {t('sets.take_theirs')}
                </button>
              </Row>
            )}
          </td>
        </tr>
      )}
    </>
  );
}
