import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import styles from './deletions.module.css';

/** Returns the sum of the rows of all tables. */
export function sumOf(rows: Readonly<Record<string, number>>): number {
  return Object.values(rows).reduce((sum, count) => sum + count, 0);
}

/** The number of rows of each table, the largest first. @param max a number that stands for this number or more */
export function RowCounts({
  rows,
  max = Number.POSITIVE_INFINITY,
}: {
  rows: Readonly<Record<string, number>>;
  max?: number;
}) {
  const t = useT();
  const { number } = useFormat();
  const sorted = Object.entries(rows).sort(([, one], [, other]) => other - one);
  if (sorted.length === 0) return null;
  return (
    <details className={styles['tables']}>
      <summary>{t('operator.by_table')}</summary>
      <dl translate="no">
        {sorted.map(([table, count]) => (
          <div key={table}>
            <dt>
              <code>{table}</code>
            </dt>
            <dd>{`${number(count)}${count >= max ? '+' : ''}`}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
