import { lazy, Suspense } from 'react';
import type { Series } from './bar-chart.tsx';
import styles from './usage.module.css';

/** The library for charts is only loaded when a chart is shown. */
const BarChart = lazy(() => import('./bar-chart.tsx').then(({ BarChart }) => ({ default: BarChart })));

/** A chart of each day. Its space is reserved while the library is loaded. */
export function Chart(props: { days: readonly string[]; series: readonly Series[] }) {
  return (
    <Suspense fallback={<div className={styles['chart']} />}>
      <BarChart {...props} />
    </Suspense>
  );
}
