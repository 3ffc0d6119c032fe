import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import type { WorkspaceView } from '#sdk/operation-types.ts';
import { type Translate, useT } from '../../i18n.tsx';
import { Row } from '../../kit/box.tsx';
import { Card } from '../../kit/card.tsx';
import { DataTable } from '../../kit/data-table.tsx';
import { Facts } from '../../kit/section.tsx';
import { Badge } from '../../kit/text.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { Setting } from '../../parts/setting.tsx';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
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
      <p>
        <Link to="/app/settings/operator">
          <ChevronLeft size={14} aria-hidden className="mirrored" /> {t('operator.all_workspaces')}
        </Link>
      </p>
      <Read from={workspace} lines={20}>
        {(view) => (
          <>
            <Row as="h2" gap={3}>
              <bdi translate="no">{view.name}</bdi>
              <Badge tone={view.active ? 'good' : 'bad'}>
                {t(view.active ? 'operator.active' : 'operator.inactive')}
              </Badge>
            </Row>
            <Overview of={view} />
            <Members of={view} />
            <Failures of={view} />
          </>
        )}
      </Read>
    </>
  );
}

function Overview({ of }: { of: WorkspaceView }) {
  const t = useT();
  const { number, bytes, day, moment } = useFormat();
  const { allowance, topup, storage } = of;
  const facts: (readonly [string, string])[] = [
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
    <Card as="section" aria-label={t('operator.overview')}>
      <Facts
        of={[
          [
            t('operator.id'),
            <code key="id" translate="no">
              {of.id}
            </code>,
          ],
          ...facts,
        ]}
      />
      <p className="hint">{t('operator.commands')}</p>
    </Card>
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
        <DataTable
          rows={members}
          keyOf={({ user_id }) => user_id}
          columns={[
            {
              title: t('members.member'),
              isName: true,
              cell: ({ email, active }) => (
                <>
                  <bdi translate="no">{email}</bdi>{' '}
                  {!active && <Badge tone="bad">{t('operator.no_access')}</Badge>}
                </>
              ),
            },
            {
              title: t('operator.role'),
              cell: ({ role }) =>
                t(role === 'global_administrator' ? 'members.administrator' : 'members.member'),
            },
            { title: t('operator.sessions'), isNumeric: true, cell: ({ sessions }) => number(sessions) },
            {
              title: t('operator.last_use'),
              cell: ({ last_used_at: used }) => (used === null ? '–' : moment(used)),
            },
          ]}
        />
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
        <DataTable
          rows={failures}
          keyOf={({ kind, id }) => `${kind} ${id}`}
          columns={[
            {
              title: t('operator.id'),
              isName: true,
              cell: ({ id }) => <code translate="no">{id}</code>,
            },
            { title: t('operator.kind'), cell: ({ kind }) => t(`operator.kind_${kind}`) },
            { title: t('operator.when'), cell: ({ failed_at }) => moment(failed_at) },
            {
              title: t('operator.reason'),
              wraps: true,
              cell: ({ reason }) => (
                <span lang="en" dir="ltr" translate="no">
                  {reason ?? '–'}
                </span>
              ),
            },
          ]}
        />
      )}
    </Setting>
  );
}
