import { useEffect, useRef } from 'react';
import type { GlossaryPreview } from '#sdk/types.ts';
import { fieldColumns } from '#server/formats/term-fields.ts';
import { useT } from '../../i18n.tsx';
import { Row, Stack } from '../../kit/box.tsx';
import { DataTable } from '../../kit/data-table.tsx';
import { Badge, Text } from '../../kit/text.tsx';
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
  const { added, changed, removed, changes, set_id, unit } = preview;
  return (
    <Stack as="section" gap={3} aria-labelledby="import-preview">
      <h2 id="import-preview" tabIndex={-1} ref={heading}>
        {t('sets.preview_of')} <bdi translate="no">{name}</bdi>
      </h2>
      <Row as="ul">
        {(['added', 'changed', 'removed', 'unchanged'] as const).map((kind) => (
          <li key={kind}>
            <Badge {...(kind !== 'unchanged' && { tone: kinds[kind].tone })}>
              <b>{number(preview[kind])}</b> {t(kind === 'changed' ? 'sets.changed_terms' : `sets.${kind}`)}
            </Badge>
          </li>
        ))}
      </Row>
      {set_id !== null && removed > 0 && <p>{t('sets.removed_why')}</p>}
      <LineWarnings file={file} preview={preview} />
      {changes.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the table scrolls, also by keyboard
        <section className={styles.changes} aria-label={t('sets.changes')} tabIndex={0}>
          <DataTable
            rows={changes.map((change, index) => ({ ...change, index }))}
            keyOf={({ index }) => String(index)}
            columns={[
              {
                title: t('sets.change'),
                cell: ({ kind }) => <Badge tone={kinds[kind].tone}>{t(kinds[kind].name)}</Badge>,
              },
              {
                title: t('sets.source'),
                wraps: true,
                cell: ({ before, after }) => {
                  const { source_lang, source_term } = (after ?? before)!;
                  return (
                    <span {...languageOf(source_lang ?? 'auto')} translate="no">
                      {source_term}
                    </span>
                  );
                },
              },
              { title: t('sets.target'), wraps: true, cell: (change) => <Target change={change} /> },
              {
                title: t(unit === 'row' ? 'sets.cell' : 'sets.line'),
                cell: ({ place, line }) => <Text tone="soft">{place ?? line}</Text>,
              },
            ]}
          />
        </section>
      )}
      {added + changed + removed > changes.length && (
        <p className="hint">{t('sets.first_changes', { count: changes.length })}</p>
      )}
    </Stack>
  );
}

const kinds = {
  added: { name: 'sets.kind_added', tone: 'good' },
  changed: { name: 'sets.kind_changed', tone: 'waits' },
  removed: { name: 'sets.kind_removed', tone: 'bad' },
} as const;

/** The translation of a term before and after the change, and which of its fields change. */
function Target({ change: { before, after } }: { change: Change }) {
  const t = useT();
  return (
    <div>
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
    </div>
  );
}

function changedFields(before: PreviewedTerm, after: PreviewedTerm) {
  return fieldColumns.filter((field) => before[field] !== after[field]);
}

function targetProps({ target_lang }: PreviewedTerm) {
  return { ...languageOf(target_lang ?? 'auto'), translate: 'no' as const };
}
