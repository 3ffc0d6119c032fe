import { useQuery } from '@tanstack/react-query';
import type { ModelsView } from '#sdk/operation-types.ts';
import { ask } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { Setting } from '../../parts/setting.tsx';
import { StackedTable } from '../../parts/stacked-table.tsx';
import { queryKeys } from '../../query-keys.ts';
import styles from './operator.module.css';
import { OperatorPage } from './operator-page.tsx';

/** `/app/settings/operator/models`: requests, errors and latency of each model. */
export function ModelsScreen() {
  return (
    <OperatorPage>
      <Models />
    </OperatorPage>
  );
}

function Models() {
  const t = useT();
  const models = useQuery({
    queryKey: queryKeys.operator.models,
    queryFn: () => ask<ModelsView>('operations.models'),
    refetchInterval: 60_000,
  });
  return (
    <Setting id="models" title={t('operator.models')} why={t('operator.models_why')} wide>
      <Read from={models} lines={6}>
        {({ mode, models: all }) => (
          <>
            <p>
              <span className={mode === 'live' ? 'badge good' : 'badge waits'}>
                {t(`operator.mode_${mode}`)}
              </span>{' '}
              {t(`operator.mode_${mode}_why`)}
            </p>
            {all.length > 0 && <Figures models={all} />}
          </>
        )}
      </Read>
    </Setting>
  );
}

function Figures({ models }: Pick<ModelsView, 'models'>) {
  const t = useT();
  const { number, duration, percent } = useFormat();
  const seconds = (value: number | null) => (value === null ? '–' : duration(value * 1000));
  const hasCost = models.some(({ cost }) => cost !== null);
  return (
    <StackedTable
      columns={[
        t('operator.model'),
        t('operator.requests'),
        t('operator.failed'),
        t('operator.p50'),
        t('operator.p95'),
        t('operator.tokens_in'),
        t('operator.tokens_out'),
        ...(hasCost ? [t('operator.cost')] : []),
      ]}
    >
      {models.map((of) => (
        <tr key={of.model}>
          <th scope="row" className="plain-cell">
            {of.model === 'other' && of.roles.length === 0 ? (
              t('operator.other_models')
            ) : (
              <code translate="no">{of.model}</code>
            )}
            <br />
            <span className="hint">
              {of.roles.map((role) => t(`operator.role_${role}`)).join(', ')}
              {of.roles.length > 0 && of.modes.length > 0 && ' · '}
              <span translate="no">{of.modes.join(', ')}</span>
            </span>
          </th>
          <td data-label={t('operator.requests')} className={styles['number']}>
            {number(of.requests)}
          </td>
          <td data-label={t('operator.failed')} className={styles['number']}>
            {of.failed === 0 ? (
              number(0)
            ) : (
              <>
                <span className="badge bad">
                  {number(of.failed)} ({percent(of.failed / of.requests)})
                </span>
                <br />
                <span className="hint" translate="no">
                  {of.errors.map(({ kind, requests }) => `${kind} ${requests}`).join(', ')}
                </span>
              </>
            )}
          </td>
          <td data-label={t('operator.p50')} className={styles['number']}>
            {seconds(of.p50_seconds)}
          </td>
          <td data-label={t('operator.p95')} className={styles['number']}>
            {seconds(of.p95_seconds)}
          </td>
          <td data-label={t('operator.tokens_in')} className={styles['number']}>
            {number(of.input_tokens)}
          </td>
          <td data-label={t('operator.tokens_out')} className={styles['number']}>
            {number(of.output_tokens)}
          </td>
          {hasCost && (
            <td data-label={t('operator.cost')} className={styles['number']}>
              {of.cost === null ? '–' : number(Math.round(of.cost * 100) / 100)}
            </td>
          )}
        </tr>
      ))}
    </StackedTable>
  );
}
