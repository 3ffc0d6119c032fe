import { type MessageId, useT } from '../i18n.tsx';
import { useFormat } from '../parts/format.ts';
import styles from './editor.module.css';

/** A row of the receipt in the metadata of a quality report. */
interface ReceiptRow {
  outcome: string;
  reason: string | null;
  texts: number;
  characters: number;
}

const outcomes: Readonly<Record<string, MessageId>> = {
  translated: 'documents.outcome_translated',
  unchanged: 'documents.outcome_unchanged',
  failed: 'documents.outcome_failed',
  unreadable: 'documents.outcome_unreadable',
  unaccounted: 'documents.outcome_unaccounted',
};

const reasons: Readonly<Record<string, MessageId>> = {
  address: 'documents.reason_address',
  annotations: 'documents.reason_annotations',
  bookmarks: 'documents.reason_bookmarks',
  charts: 'documents.reason_charts',
  clipped: 'documents.reason_hidden',
  code: 'documents.reason_code',
  comments: 'documents.reason_comments',
  content_controls: 'documents.reason_content_controls',
  covered: 'documents.reason_hidden',
  diagrams: 'documents.reason_diagrams',
  dropdown_lists: 'documents.reason_dropdown_lists',
  embedded_documents: 'documents.reason_embedded_documents',
  endnotes: 'documents.reason_endnotes',
  fields: 'documents.reason_fields',
  footnotes: 'documents.reason_footnotes',
  form_fields: 'documents.reason_form_fields',
  formula: 'documents.reason_formula',
  formula_result: 'documents.reason_formula_result',
  headers_and_footers: 'documents.reason_headers_and_footers',
  hidden: 'documents.reason_hidden',
  identifier: 'documents.reason_identifier',
  invisible: 'documents.reason_hidden',
  label: 'documents.reason_label',
  leader: 'documents.reason_leader',
  number: 'documents.reason_number',
  pages: 'documents.reason_pages',
  sheet_names: 'documents.reason_sheet_names',
  table_headers: 'documents.reason_table_headers',
  text_boxes: 'documents.reason_text_boxes',
  tracked_changes: 'documents.reason_tracked_changes',
};

/** A table with the outcome of every visible text of a document. Nothing is shown for a report without a receipt. */
export function Receipt({ metadata }: { metadata: Readonly<Record<string, unknown>> }) {
  const t = useT();
  const { number } = useFormat();
  const receipt = metadata['receipt'] as
    | { rows: ReceiptRow[]; texts: number; characters: number }
    | undefined;
  if (!receipt) return null;
  const nameOf = ({ outcome, reason }: ReceiptRow): string => {
    const known = outcomes[outcome];
    if (known) return t(known);
    const named = reasons[reason ?? ''];
    const words = named ? t(named) : (reason ?? outcome).replaceAll('_', ' ');
    return t(outcome === 'not_selected' ? 'documents.outcome_not_selected' : 'documents.outcome_kept', {
      reason: words,
    });
  };
  const rows = new Map<string, { texts: number; characters: number }>();
  for (const row of receipt.rows) {
    const { texts = 0, characters = 0 } = rows.get(nameOf(row)) ?? {};
    rows.set(nameOf(row), { texts: texts + row.texts, characters: characters + row.characters });
  }
  return (
    <details>
      <summary>{t('documents.receipt')}</summary>
      <table className={styles['receipt']}>
        <thead>
          <tr>
            <th scope="col">{t('documents.receipt_outcome')}</th>
            <th scope="col">{t('documents.receipt_texts')}</th>
            <th scope="col">{t('documents.receipt_characters')}</th>
          </tr>
        </thead>
        <tbody>
          {[...rows].map(([name, { texts, characters }]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{number(texts)}</td>
              <td>{number(characters)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{t('documents.receipt_total')}</th>
            <td>{number(receipt.texts)}</td>
            <td>{number(receipt.characters)}</td>
          </tr>
        </tfoot>
      </table>
    </details>
  );
}
