import type { FormEvent, ReactNode } from 'react';
import { useT } from '../../i18n.tsx';
import { Row } from '../../kit/box.tsx';
import styles from './panes.module.css';

/**
 * The form of a way to translate texts: the source next to its results.
 * @param way leads to the other way
 */
export function Panes({
  source,
  way,
  results,
  isBusy,
  onSubmit,
}: {
  source: ReactNode;
  way: ReactNode;
  results: ReactNode;
  isBusy: boolean;
  onSubmit: () => void;
}) {
  const t = useT();
  return (
    <form
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        onSubmit();
      }}
      noValidate
      className={styles.panes}
    >
      <section className={styles.pane} aria-label={t('translate.source_pane')}>
        {source}
        <Row as="footer" pad={3} justify="space-between">
          {way}
          <button type="submit" className="primary" aria-disabled={isBusy}>
            {isBusy ? t('translate.translating') : t('translate.submit')}
          </button>
        </Row>
      </section>
      <section className={styles.pane} aria-label={t('translate.results')}>
        {results}
      </section>
    </form>
  );
}
