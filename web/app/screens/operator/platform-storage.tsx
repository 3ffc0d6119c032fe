import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { StorageView } from '#sdk/operation-types.ts';
import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { Setting } from '../../parts/setting.tsx';
import { StackedTable } from '../../parts/stacked-table.tsx';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import styles from './operator.module.css';
import { OperatorPage } from './operator-page.tsx';

/** `/app/settings/operator/storage`: platform storage, the largest workspaces, and the recurring tasks. */
export function PlatformStorageScreen() {
  return (
    <OperatorPage>
      <PlatformStorage />
    </OperatorPage>
  );
}

function PlatformStorage() {
  const t = useT();
  const storage = useQuery({
    queryKey: queryKeys.operator.storage,
    queryFn: () => procedures.operations.storage.query(),
  });
  return (
    <>
      <Setting id="platform" title={t('operator.platform_storage')} wide>
        <Read from={storage} lines={6}>
          {(view) => <State of={view} />}
        </Read>
      </Setting>
      <Setting id="largest" title={t('operator.largest')} why={t('operator.largest_why')} wide>
        <Read from={storage} lines={6}>
          {({ workspaces }) =>
            workspaces.length === 0 ? <p>{t('operator.none_stored')}</p> : <Largest workspaces={workspaces} />
          }
        </Read>
      </Setting>
      <Setting id="maintenance" title={t('operator.maintenance')} why={t('operator.maintenance_why')} wide>
        <Read from={storage} lines={8}>
          {({ maintenance }) => <Maintenance runs={maintenance} />}
        </Read>
      </Setting>
    </>
  );
}

function State({ of }: { of: StorageView }) {
  const t = useT();
  const { bytes, number } = useFormat();
  const { provider, up, free_bytes: free, total_bytes: total } = of;
  return (
    <dl className="facts">
      <div>
        <dt>{t('operator.state')}</dt>
        <dd>
          <span className={up ? 'badge good' : 'badge bad'}>
            {t(up ? 'operator.storage_up' : 'operator.storage_down')}
          </span>
        </dd>
      </div>
      <div>
        <dt>{t('operator.provider')}</dt>
        <dd>{t(`operator.provider_${provider}`)}</dd>
      </div>
      {free !== null && total !== null && (
        <div>
          <dt>{t('operator.free')}</dt>
          <dd>{t('operator.free_of', { free: bytes(free), total: bytes(total) })}</dd>
        </div>
      )}
      <div>
        <dt>{t('operator.document_files')}</dt>
        <dd>{t('operator.files_of', { size: bytes(of.document_bytes), count: of.document_files })}</dd>
      </div>
      <div>
        <dt>{t('operator.parked')}</dt>
        <dd>{number(of.parked_jobs)}</dd>
      </div>
    </dl>
  );
}

function Largest({ workspaces }: Pick<StorageView, 'workspaces'>) {
  const t = useT();
  const { bytes, number } = useFormat();
  return (
    <StackedTable
      columns={[t('operator.name'), t('operator.size'), t('operator.storage_cap'), t('operator.files')]}
    >
      {workspaces.map(({ tenant_id: tenantId, name, bytes: size, bytes_allowed: allowed, files }) => (
        <tr key={tenantId}>
          <th scope="row" className="plain-cell">
            <Link to="/app/settings/operator/workspaces/$tenantId" params={{ tenantId }}>
              <bdi translate="no">{name}</bdi>
            </Link>
          </th>
          <td data-label={t('operator.size')} className={styles['number']}>
            {bytes(size)}
          </td>
          <td data-label={t('operator.storage_cap')} className={styles['number']}>
            {allowed === null ? t('operator.no_cap') : bytes(allowed)}
          </td>
          <td data-label={t('operator.files')} className={styles['number']}>
            {number(files)}
          </td>
        </tr>
      ))}
    </StackedTable>
  );
}

/** A task counts as overdue after three of its intervals and ten minutes, as in the example alerts. */
const overdueAfter = 3;

function Maintenance({ runs }: { runs: StorageView['maintenance'] }) {
  const t = useT();
  const { span } = useFormat();
  return (
    <>
      {!runs.some(({ task }) => task === 'backup') && <p className="notice">{t('operator.no_backup')}</p>}
      {runs.length > 0 && (
        <StackedTable columns={[t('operator.task'), t('operator.completed'), t('operator.interval')]}>
          {runs.map(({ task, age_seconds: age, interval_seconds: interval }) => (
            <tr key={task}>
              <th scope="row" className="plain-cell">
                {task === 'backup' ? t('operator.backup') : <code translate="no">{task}</code>}
              </th>
              <td data-label={t('operator.completed')}>
                {t('operator.ago', { span: span(age) })}{' '}
                {interval !== null && age > overdueAfter * interval + 600 && (
                  <span className="badge bad">{t('operator.overdue')}</span>
                )}
              </td>
              <td data-label={t('operator.interval')}>{interval === null ? '–' : span(interval)}</td>
            </tr>
          ))}
        </StackedTable>
      )}
    </>
  );
}
