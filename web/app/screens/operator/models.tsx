import { useQuery } from '@tanstack/react-query';
import type { EnginesView, ModelsView } from '#sdk/operation-types.ts';
import { useT } from '../../i18n.tsx';
import { type Column, DataTable } from '../../kit/data-table.tsx';
import { Badge } from '../../kit/text.tsx';
import { useFormat } from '../../parts/format.ts';
import { useLanguages } from '../../parts/languages.tsx';
import { Read } from '../../parts/loading.tsx';
import { Setting } from '../../parts/setting.tsx';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
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
              <Badge tone={mode === 'live' ? 'good' : 'waits'}>{t(`operator.mode_${mode}`)}</Badge>{' '}
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
  const cost: Column<ModelsView['models'][number]> = {
    ...{ title: t('operator.cost'), isNumeric: true },
    cell: (of) => (of.cost === null ? '–' : number(Math.round(of.cost * 100) / 100)),
  };
  return (
    <DataTable
      rows={models}
      keyOf={({ model }) => model}
      columns={[
        { title: t('operator.model'), isName: true, cell: (of) => <Model of={of} /> },
        { title: t('operator.requests'), isNumeric: true, cell: (of) => number(of.requests) },
        {
          title: t('operator.failed'),
          isNumeric: true,
          cell: (of) =>
            of.failed === 0 ? (
              number(0)
            ) : (
              <>
                <Badge tone="bad">
                  {number(of.failed)} ({percent(of.failed / of.requests)})
                </Badge>
                <span className="hint" translate="no">
                  {of.errors.map(({ kind, requests }) => `${kind} ${requests}`).join(', ')}
                </span>
              </>
            ),
        },
        { title: t('operator.p50'), isNumeric: true, cell: (of) => seconds(of.p50_seconds) },
        { title: t('operator.p95'), isNumeric: true, cell: (of) => seconds(of.p95_seconds) },
        { title: t('operator.tokens_in'), isNumeric: true, cell: (of) => number(of.input_tokens) },
        { title: t('operator.tokens_out'), isNumeric: true, cell: (of) => number(of.output_tokens) },
        ...(models.some(({ cost }) => cost !== null) ? [cost] : []),
      ]}
    />
  );
}

/** The name of a model, and what it is used for. */
function Model({ of }: { of: ModelsView['models'][number] }) {
  const t = useT();
  return (
    <>
      {of.model === 'other' && of.roles.length === 0 ? (
        t('operator.other_models')
      ) : (
        <code translate="no">{of.model}</code>
      )}
      <span className="hint">
        {of.roles.map((role) => t(`operator.role_${role}`)).join(', ')}
        {of.roles.length > 0 && of.modes.length > 0 && ' · '}
        <span translate="no">{of.modes.join(', ')}</span>
      </span>
    </>
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
        <DataTable
          rows={routes}
          keyOf={(route) => String(routes.indexOf(route))}
          columns={[
            { title: t('operator.texts'), isName: true, cell: textsOf },
            {
              title: t('operator.engines_in_order'),
              wraps: true,
              cell: ({ use }) => (
                <ol>
                  {use.map((name) => (
                    <li key={name}>
                      <code translate="no">{name}</code>{' '}
                      {kinds.get(name) !== name && <span className="hint">{kinds.get(name)}</span>}
                    </li>
                  ))}
                </ol>
              ),
            },
          ]}
        />
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
    <DataTable
      rows={results}
      keyOf={(of) => `${of.engine} ${of.source_lang} ${of.target_lang}`}
      columns={[
        {
          title: t('operator.engine'),
          isName: true,
          cell: ({ engine }) => <code translate="no">{engine}</code>,
        },
        {
          title: t('operator.languages'),
          cell: (of) =>
            t('operator.pair', { source: nameOf(of.source_lang), target: nameOf(of.target_lang) }),
        },
        ...columns.map(
          (name): Column<EnginesView['results'][number]> => ({
            ...{ title: t(`operator.results_${name}`), isNumeric: true },
            cell: (of) => (name === 'checked' ? number(of.checked) : percent(of[name] / of.checked)),
          }),
        ),
      ]}
    />
  );
}
