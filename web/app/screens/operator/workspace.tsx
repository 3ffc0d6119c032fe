import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import { useState } from 'react';
import type { WorkspaceView } from '#sdk/operation-types.ts';
import { type Translate, useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { Field } from '../../parts/field.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { fieldProblem, Problem } from '../../parts/problem.tsx';
import { Setting } from '../../parts/setting.tsx';
import { StackedTable } from '../../parts/stacked-table.tsx';
import { useAction } from '../../parts/use-action.ts';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import styles from './operator.module.css';
import { OperatorPage } from './operator-page.tsx';
import { WorkspaceAccess } from './workspace-access.tsx';
import { WorkspaceSessions } from './workspace-sessions.tsx';

/** `/app/settings/operator/workspaces/$tenantId`: one workspace, with the actions of an operator. */
export function OneWorkspaceScreen() {
  return (
    <OperatorPage>
      <OneWorkspace />
    </OperatorPage>
  );
}

function OneWorkspace() {
  const t = useT();
  const { tenantId } = useParams({ from: '/workspace/operators/app/settings/operator/workspaces/$tenantId' });
  const workspace = useQuery({
    queryKey: queryKeys.operator.workspace(tenantId),
    queryFn: () => procedures.operations.workspace.query({ tenant_id: tenantId }),
  });
  return (
    <>
      <Link to="/app/settings/operator" className={styles['back']}>
        <ChevronLeft size={16} aria-hidden className="mirrored" />
        {t('operator.all_workspaces')}
      </Link>
      <Read from={workspace} lines={20}>
        {(view) => (
          <>
            <h2 className={styles['name']}>
              <bdi translate="no">{view.name}</bdi>
              <span className={`badge ${view.active ? 'good' : 'bad'}`}>
                {t(view.active ? 'operator.active' : 'operator.inactive')}
              </span>
            </h2>
            <Facts of={view} />
            <WorkspaceLimits key={`${view.monthly_char_limit} ${view.storage.own_cap}`} of={view} />
            <WorkspaceAccess of={view} />
            <WorkspaceSessions of={view} />
            <Failures of={view} />
          </>
        )}
      </Read>
    </>
  );
}

function Facts({ of }: { of: WorkspaceView }) {
  const t = useT();
  const { number, bytes, day, moment } = useFormat();
  const { allowance, topup, storage } = of;
  const facts: [string, string][] = [
    [t('operator.created'), day(of.created_at)],
    ...(of.deletion_due_at === null
      ? []
      : [[t('operator.deletion_due'), moment(of.deletion_due_at)] satisfies [string, string]]),
    ...(of.subscription === null
      ? []
      : ([
          [t('operator.plan'), planName(of.plan, t)],
          [t('operator.subscription'), t(`operator.subscription_${of.subscription}`)],
        ] satisfies [string, string][])),
    [
      t('operator.remaining'),
      t('operator.chars_of', { chars: number(allowance.remaining), limit: number(allowance.limit) }),
    ],
    [t('operator.used'), number(allowance.used)],
    [t('operator.reserved'), number(allowance.reserved)],
    [t('operator.topup'), number(topup.balance)],
    [
      t('operator.stored'),
      t('operator.files_of', { size: bytes(storage.bytes_used), count: storage.objects }),
    ],
    [
      t('operator.storage_cap'),
      storage.bytes_allowed === null ? t('operator.no_cap') : bytes(storage.bytes_allowed),
    ],
    [
      t('operator.provider'),
      storage.provider === 'platform'
        ? t('operator.platform_storage')
        : t(`operator.own_storage_${bindingState(storage.binding_status)}`),
    ],
  ];
  return (
    <section className="card" aria-label={t('operator.overview')}>
      <dl className="facts">
        <div>
          <dt>{t('operator.id')}</dt>
          <dd>
            <code translate="no">{of.id}</code>
          </dd>
        </div>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** The names of the plans that the service sells, by their slugs. */
const plans = { personal: 'billing.personal', pro: 'billing.pro', studio: 'billing.studio' } as const;

function planName(slug: string | null, t: Translate): string {
  if (slug === null) return t('operator.none');
  return Object.hasOwn(plans, slug) ? t(plans[slug as keyof typeof plans]) : slug;
}

function bindingState(status: string | null): 'verified' | 'unverified' | 'error' {
  return status === 'verified' || status === 'error' ? status : 'unverified';
}

function Failures({ of: { failures } }: { of: WorkspaceView }) {
  const t = useT();
  const { moment } = useFormat();
  return (
    <Setting id="failures" title={t('operator.failures')} why={t('operator.failures_why')} wide>
      {failures.length === 0 ? (
        <p>{t('operator.no_failures')}</p>
      ) : (
        <StackedTable
          columns={[t('operator.id'), t('operator.kind'), t('operator.when'), t('operator.reason')]}
        >
          {failures.map(({ kind, id, failed_at: at, reason }) => (
            <tr key={`${kind} ${id}`}>
              <th scope="row" className="plain-cell">
                <code translate="no">{id}</code>
              </th>
              <td data-label={t('operator.kind')}>{t(`operator.kind_${kind}`)}</td>
              <td data-label={t('operator.when')}>{moment(at)}</td>
              <td data-label={t('operator.reason')} className={styles['error']}>
                <span lang="en" dir="ltr" translate="no">
                  {reason ?? '–'}
                </span>
              </td>
            </tr>
          ))}
        </StackedTable>
      )}
    </Setting>
  );
}

/** Forms for the monthly allowance and the storage cap of a workspace. */
function WorkspaceLimits({ of }: { of: WorkspaceView }) {
  const t = useT();
  const { own_cap: cap } = of.storage;
  return (
    <Setting id="limits" title={t('operator.limits')} why={t('operator.limits_why')}>
      <div className={styles['limits']}>
        <Limit
          tenantId={of.id}
          name="monthly_char_limit"
          label={t('operator.limit')}
          stored={String(of.monthly_char_limit)}
          min={1}
          max={2_147_483_647}
          required
          save={(value) =>
            procedures.operations.setAllowance.mutate({ tenant_id: of.id, monthly_char_limit: Number(value) })
          }
        />
        <Limit
          tenantId={of.id}
          name="cap_bytes"
          label={t('operator.cap_bytes')}
          hint={t('operator.cap_hint')}
          stored={cap === null ? '' : String(cap)}
          min={0}
          max={999_999_999_999_999}
          save={(value) =>
            procedures.operations.setStorageCap.mutate({
              tenant_id: of.id,
              cap_bytes: value === '' ? null : Number(value),
            })
          }
        />
      </div>
    </Setting>
  );
}

/** A number that is saved on its own. @param stored the saved value; empty for none */
function Limit({
  tenantId,
  name,
  stored,
  save,
  ...field
}: {
  tenantId: string;
  name: string;
  label: string;
  hint?: string;
  stored: string;
  min: number;
  max: number;
  required?: boolean;
  save: (value: string) => Promise<unknown>;
}) {
  const t = useT();
  const queries = useQueryClient();
  const [value, setValue] = useState(stored);
  const { run, error, isBusy } = useAction();
  const wrong = fieldProblem(error, name);
  const submit = run(async () => {
    await save(value);
    announce(t('operator.saved'));
    await queries.invalidateQueries({ queryKey: queryKeys.operator.workspace(tenantId) });
    void queries.invalidateQueries({ queryKey: queryKeys.operator.tenants });
  });
  return (
    <form className="form" onSubmit={submit}>
      {error !== undefined && !wrong && <Problem error={error} />}
      <Field {...field} problem={wrong} type="number" inputMode="numeric" value={value} onValue={setValue} />
      <button
        type="submit"
        disabled={isBusy || value === stored}
        aria-label={`${t('common.save')}: ${field.label}`}
      >
        {t('common.save')}
      </button>
    </form>
  );
}
