import { useEffect, useRef } from 'react';
import type { GlossaryPreview } from '#sdk/types.ts';
import { fieldColumns } from '#server/formats/term-fields.ts';
import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { languageOf } from '../../parts/language-text.tsx';
import { columnNames } from './column-fields.tsx';
import styles from './import-preview.module.css';
import { LineWarnings } from './line-warnings.tsx';
import { TermMarks } from './term-row.tsx';

type Change = GlossaryPreview['changes'][number];
type PreviewedTerm = NonNullable<Change['after']>;

/** The changes that the import of a glossary would make, and warnings about lines of the file. */
export function ImportPreview({
  file,
  name,
  preview,
}: {
  file: File;
  name: string;
  preview: GlossaryPreview;
}) {
  const t = useT();
  const { number } = useFormat();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const { added, changed, removed, unchanged, changes, set_id, unit } = preview;
  return (
    <section aria-labelledby="import-preview" className={styles.preview}>
      <h2 id="import-preview" tabIndex={-1} ref={heading}>
        {t('sets.preview_of')} <bdi translate="no">{name}</bdi>
      </h2>
      <ul className={styles.counts}>
        <li data-kind="added">
          <b>{number(added)}</b> {t('sets.added')}
        </li>
        <li data-kind="changed">
          <b>{number(changed)}</b> {t('sets.changed_terms')}
        </li>
        <li data-kind="removed">
          <b>{number(removed)}</b> {t('sets.removed')}
        </li>
        <li>
          <b>{number(unchanged)}</b> {t('sets.unchanged')}
        </li>
      </ul>
      {set_id !== null && removed > 0 && <p>{t('sets.removed_why')}</p>}
      <LineWarnings file={file} preview={preview} />
      {changes.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the table scrolls, also by keyboard
        <section className={styles.changes} aria-label={t('sets.changes')} tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t('sets.change')}</th>
                <th scope="col">{t('sets.source')}</th>
                <th scope="col">{t('sets.target')}</th>
                <th scope="col">{t(unit === 'row' ? 'sets.cell' : 'sets.line')}</th>
              </tr>
            </thead>
            <tbody>
              {changes.map((change, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
                <ChangeRow key={index} change={change} />
              ))}
            </tbody>
          </table>
        </section>
      )}
      {added + changed + removed > changes.length && (
        <p className="hint">{t('sets.first_changes', { count: changes.length })}</p>
      )}
    </section>
  );
}

function ChangeRow({ change: { kind, line, place, before, after } }: { change: Change }) {
  const t = useT();
  const names = {
    added: 'sets.kind_added',
    changed: 'sets.kind_changed',
    removed: 'sets.kind_removed',
  } as const;
  const shown = after ?? before;
  if (!shown) return null;
  return (
    <tr>
      <td>
        <span className={styles.kind} data-kind={kind}>
          {t(names[kind])}
        </span>
      </td>
      <td>
        <span {...languageOf(shown.source_lang ?? 'auto')} translate="no">
          {shown.source_term}
        </span>
      </td>
      <td>
        {before && <del {...targetProps(before)}>{before.target_term}</del>}{' '}
        {after && <ins {...targetProps(after)}>{after.target_term}</ins>}
        {after && <TermMarks entry={after} />}
        {before && after && changedFields(before, after).length > 0 && (
          <span className="hint">
            {changedFields(before, after)
              .map((field) => t(columnNames[field]))
              .join(' · ')}
          </span>
        )}
        {before && after && before.priority !== after.priority && (
          <span className="hint">
            {t('sets.priority_change', { from: before.priority, to: after.priority })}
          </span>
        )}
      </td>
      <td className={styles.line}>{place ?? line}</td>
    </tr>
  );
}

function changedFields(before: PreviewedTerm, after: PreviewedTerm) {
  return fieldColumns.filter((field) => before[field] !== after[field]);
}

function targetProps({ target_lang }: PreviewedTerm) {
  return { ...languageOf(target_lang ?? 'auto'), translate: 'no' as const };
}
