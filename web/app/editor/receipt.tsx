import { type MessageId, useT } from '../i18n.tsx';
import { useFormat } from '../parts/format.ts';
import { reasonNames } from '../parts/reason-names.ts';
import styles from './quality-report.module.css';

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

/** Returns the receipt of a quality report; undefined if it has none. */
export function receiptOf(metadata: Readonly<Record<string, unknown>>) {
  return metadata['receipt'] as { rows: ReceiptRow[]; texts: number; characters: number } | undefined;
}

/** A table with the outcome of every visible text of a document. Nothing is shown for a report without a receipt. */
export function Receipt({ metadata }: { metadata: Readonly<Record<string, unknown>> }) {
  const t = useT();
  const { number } = useFormat();
  const receipt = receiptOf(metadata);
  if (!receipt) return null;
  const nameOf = ({ outcome, reason }: ReceiptRow): string => {
    const known = outcomes[outcome];
    if (known) return t(known);
    const named = reasonNames[reason ?? ''];
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
