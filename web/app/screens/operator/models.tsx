import { useQuery } from '@tanstack/react-query';
import type { EnginesView, ModelsView } from '#sdk/operation-types.ts';
import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { useLanguages } from '../../parts/languages.tsx';
import { Read } from '../../parts/loading.tsx';
import { Setting } from '../../parts/setting.tsx';
import { StackedTable } from '../../parts/stacked-table.tsx';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import styles from './operator.module.css';
import { OperatorPage } from './operator-page.tsx';

/** `/app/settings/operator/models`: requests, errors and latency of each model, and the routes and results of the engines. */
export function ModelsScreen() {
  return (
    <OperatorPage>
      <Models />
      <Engines />
    </OperatorPage>
  );
}

function Models() {
  const t = useT();
  const models = useQuery({
    queryKey: queryKeys.operator.models,
    queryFn: () => procedures.operations.models.query(),
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

function Engines() {
  const t = useT();
  const engines = useQuery({
    queryKey: queryKeys.operator.engines,
    queryFn: () => procedures.operations.engines.query(),
  });
  return (
    <>
      <Setting id="routes" title={t('operator.routes')} why={t('operator.routes_why')} wide>
        <Read from={engines} lines={3}>
          {(view) => <Routes view={view} />}
        </Read>
      </Setting>
      <Setting
        id="results"
        title={t('operator.results')}
        why={t('operator.results_why', { days: engines.data?.days ?? 90 })}
        wide
      >
        <Read from={engines} lines={3}>
          {({ results }) =>
            results.length > 0 ? <Results results={results} /> : <p>{t('operator.no_results')}</p>
          }
        </Read>
      </Setting>
    </>
  );
}

function Routes({ view: { routes, engines, judge, without_judge } }: { view: EnginesView }) {
  const t = useT();
  const { nameOf } = useLanguages();
  const kinds = new Map(engines.map(({ name, kind }) => [name, kind]));
  const names = (codes: readonly string[] | null) =>
    codes === null ? t('operator.all_languages') : codes.map((code) => nameOf(code)).join(', ');
  const textsOf = ({ from, to, domain, text_type }: EnginesView['routes'][number]) =>
    [
      from === null && to === null
        ? t('operator.all_languages')
        : t('operator.pair', { source: names(from), target: names(to) }),
      domain,
      text_type,
    ]
      .filter(Boolean)
      .join(' · ');
  return (
    <>
      {routes.length > 0 && (
        <StackedTable columns={[t('operator.texts'), t('operator.engines_in_order')]}>
          {routes.map((route, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: routes have no name, and their order is what they are
            <tr key={at}>
              <th scope="row" className="plain-cell">
                {textsOf(route)}
              </th>
              <td data-label={t('operator.engines_in_order')}>
                <ol className={styles['engines']}>
                  {route.use.map((name) => (
                    <li key={name}>
                      <code translate="no">{name}</code>{' '}
                      {kinds.get(name) !== name && <span className="hint">{kinds.get(name)}</span>}
                    </li>
                  ))}
                </ol>
              </td>
            </tr>
          ))}
        </StackedTable>
      )}
      <p>
        {judge === null
          ? t(engines.length === 0 ? 'operator.no_engine' : `operator.unjudged_${without_judge}`)
          : t('operator.judged', { engine: judge })}
      </p>
    </>
  );
}

function Results({ results }: Pick<EnginesView, 'results'>) {
  const t = useT();
  const { number, percent } = useFormat();
  const { nameOf } = useLanguages();
  const columns = ['checked', 'changed', 'serious', 'repaired'] as const;
  return (
    <StackedTable
      columns={[
        t('operator.engine'),
        t('operator.languages'),
        ...columns.map((name) => t(`operator.results_${name}`)),
      ]}
    >
      {results.map((of) => (
        <tr key={`${of.engine} ${of.source_lang} ${of.target_lang}`}>
          <th scope="row" className="plain-cell">
            <code translate="no">{of.engine}</code>
          </th>
          <td data-label={t('operator.languages')}>
            {t('operator.pair', { source: nameOf(of.source_lang), target: nameOf(of.target_lang) })}
          </td>
          {columns.map((name) => (
            <td key={name} data-label={t(`operator.results_${name}`)} className={styles['number']}>
              {name === 'checked' ? number(of.checked) : percent(of[name] / of.checked)}
            </td>
          ))}
        </tr>
      ))}
    </StackedTable>
  );
}
