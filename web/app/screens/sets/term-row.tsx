import { Ban, BookText, Check, Lock, MessageSquare, Pencil, Trash2 } from 'lucide-react';
import type { GlossaryEntry } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { Row } from '../../kit/box.tsx';
import { Badge, Text } from '../../kit/text.tsx';
import { LanguageText } from '../../parts/language-text.tsx';
import { useLanguages } from '../../parts/languages.tsx';
import { Problem } from '../../parts/problem.tsx';
import { type GridRow, useRowActions } from './row-keys.tsx';
import styles from './terms.module.css';

/** A term of a glossary. Enter edits it, Delete deletes it. */
export function TermRow({
  entry,
  row,
  onEdit,
  onDelete,
}: {
  entry: GlossaryEntry;
  row: GridRow;
  onEdit: () => void;
  onDelete: () => Promise<void>;
}) {
  const t = useT();
  const { rowProps, buttonProps, remove, error } = useRowActions(row, onEdit, onDelete);
  const { source_term: term } = entry;
  return (
    <tr {...rowProps} className={styles.row}>
      <Term language={entry.source_lang} term={entry.source_term} />
      <Term language={entry.target_lang} term={entry.target_term} />
      <td>
        <Text tone="soft">
          <Rules entry={entry} />
        </Text>
        <TermMarks entry={entry} />
        {error ? <Problem error={error} /> : null}
      </td>
      <td className={styles.acts}>
        <button
          {...buttonProps}
          aria-label={t('sets.edit_term', { term })}
          title={t('sets.edit')}
          onClick={onEdit}
        >
          <Pencil size={15} aria-hidden />
        </button>
        <button
          {...buttonProps}
          aria-label={t('sets.delete_term', { term })}
          title={t('sets.delete')}
          onClick={remove}
        >
          <Trash2 size={15} aria-hidden />
        </button>
      </td>
    </tr>
  );
}

/** The languages to which a term applies, its case rule and its priority. */
function Rules({ entry }: { entry: GlossaryEntry }) {
  const t = useT();
  const { nameOf } = useLanguages();
  const named = (code: string | null) => (code ? nameOf(code) : t('sets.any_language'));
  return [
    t('sets.pair', { from: named(entry.source_lang), to: named(entry.target_lang) }),
    entry.case_sensitive && t('sets.case_sensitive'),
    entry.priority !== 0 && t('sets.priority', { priority: entry.priority }),
  ]
    .filter(Boolean)
    .join(' · ');
}

/** What is special about a term: its status, and whether it is translated or has a note. */
export function TermMarks({
  entry: { status, do_not_translate, definition, note },
}: {
  entry: Omit<GlossaryEntry, 'entry_no'>;
}) {
  const t = useT();
  const marks = [
    status === 'forbidden' && { Icon: Ban, label: t('sets.status_forbidden') },
    status === 'allowed' && { Icon: Check, label: t('sets.status_allowed') },
    do_not_translate && { Icon: Lock, label: t('sets.only_not_translated') },
    definition && { Icon: BookText, label: t('sets.definition'), title: definition },
    note && { Icon: MessageSquare, label: t('sets.note'), title: note },
  ].filter((mark) => !!mark);
  if (marks.length === 0) return null;
  return (
    <Row as="span" gap={1}>
      {marks.map(({ Icon, label, ...more }) => (
        <Badge key={label} {...(Icon === Ban && { tone: 'bad' })} {...more}>
          <Icon size={12} aria-hidden /> {label}
        </Badge>
      ))}
    </Row>
  );
}

function Term({ language, term }: { language: string | null; term: string }) {
  return (
    <td>
      {language ? (
        <LanguageText as="span" language={language}>
          {term}
        </LanguageText>
      ) : (
        <bdi translate="no">{term}</bdi>
      )}
    </td>
  );
}
