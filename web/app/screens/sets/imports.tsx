import type { TranslationMemoryImportJob, TranslationMemorySet } from '#sdk/types.ts';
import { type MessageId, useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { PairName } from './pair-name.tsx';
import styles from './sets.module.css';
import { useImports } from './use-imports.ts';

const statuses: Readonly<Record<string, { name: MessageId; badge: string }>> = {
  running: { name: 'sets.import_running', badge: 'badge waits' },
  completed: { name: 'sets.import_completed', badge: 'badge good' },
  failed: { name: 'sets.import_failed', badge: 'badge bad' },
};

/** Lists the background imports, the latest first. Shows nothing without imports. */
export function Imports() {
  const t = useT();
  const imports = useImports();
  if (imports.data?.length === 0) return null;
  return (
    <section aria-labelledby="imports">
      <h2 id="imports">{t('sets.imports')}</h2>
      <Read from={imports} lines={4}>
        {(jobs) => (
          <ul className="rows">
            {jobs.map((job) => (
              <Import key={job.id} job={job} />
            ))}
          </ul>
        )}
      </Read>
    </section>
  );
}

function Import({ job }: { job: TranslationMemoryImportJob }) {
  const t = useT();
  const { moment } = useFormat();
  const status = statuses[job.status];
  return (
    <li>
      <div className={styles.import}>
        <bdi translate="no">{job.set_name}</bdi>
        <span className={status?.badge ?? 'badge'}>{status ? t(status.name) : job.status}</span>
        {/* The bar is indeterminate: the service reports that an import is running, but not its progress. */}
        {job.status === 'running' && <progress aria-label={t('sets.import_running')} />}
        <span className={styles.soft}>
          <PairName source={job.source_lang} target={job.target_lang} />
        </span>
        <span className={styles.soft}>{t('sets.units_count', { count: job.deduped_units })}</span>
        <time className={styles.soft} dateTime={job.created_at}>
          {moment(job.created_at)}
        </time>
      </div>
      {job.error !== null && (
        <p className="field-problem">
          <bdi>{job.error}</bdi>
        </p>
      )}
      {job.result && <LeftOut set={job.result} />}
    </li>
  );
}

/** Shows the parts of a file that were not imported as segments, if the service reports them. */
export function LeftOut({ set }: { set: TranslationMemorySet }) {
  const t = useT();
  const { skipped_units: skipped = 0, duplicates_dropped: duplicates = 0 } = set;
  if (skipped + duplicates === 0) return null;
  return <p className={styles.leftOut}>{t('sets.left_out', { skipped, duplicates })}</p>;
}
