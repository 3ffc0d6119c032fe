import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import type { WorkspaceView } from '#sdk/operation-types.ts';
import { type Translate, useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { Setting } from '../../parts/setting.tsx';
import { StackedTable } from '../../parts/stacked-table.tsx';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import styles from './operator.module.css';
import { OperatorPage } from './operator-page.tsx';

/** `/app/settings/operator/workspaces/$tenantId`: one workspace. Commands on the server change it. */
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
            <Members of={view} />
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
    [t('operator.key'), of.api_key_prefix === null ? t('operator.none') : `${of.api_key_prefix}…`],
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
      <p className="hint">{t('operator.commands')}</p>
    </section>
  );
}

/** The members of the workspace with their active sessions. */
function Members({ of: { members, members_total: total } }: { of: WorkspaceView }) {
  const t = useT();
  const { number, moment } = useFormat();
  const more = total - members.length;
  return (
    <Setting id="sessions" title={t('operator.members')} why={t('operator.members_why')} wide>
      {members.length === 0 ? (
        <p>{t('operator.no_members')}</p>
      ) : (
        <StackedTable
          columns={[t('members.member'), t('operator.role'), t('operator.sessions'), t('operator.last_use')]}
        >
          {members.map(({ user_id: id, email, role, active, sessions, last_used_at: used }) => (
            <tr key={id}>
              <th scope="row" className="plain-cell">
                <bdi translate="no">{email}</bdi>{' '}
                {!active && <span className="badge bad">{t('operator.no_access')}</span>}
              </th>
              <td data-label={t('operator.role')}>
                {t(role === 'global_administrator' ? 'members.administrator' : 'members.member')}
              </td>
              <td data-label={t('operator.sessions')} className={styles['number']}>
                {number(sessions)}
              </td>
              <td data-label={t('operator.last_use')}>{used === null ? '–' : moment(used)}</td>
            </tr>
          ))}
        </StackedTable>
      )}
      {more > 0 && (
        <p className="hint">{t('operator.members_more', { count: more, members: number(more) })}</p>
      )}
    </Setting>
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
