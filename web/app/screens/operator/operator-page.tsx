import { Link, useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type MessageId, useT } from '../../i18n.tsx';
import { AdminsOnly, Forbidden } from '../../parts/admins-only.tsx';
import { Read } from '../../parts/loading.tsx';
import { type Me, useOperatorStanding } from '../../session/use-me.ts';

const pages = [
  ['/app/settings/operator', 'operator.tenants'],
  ['/app/settings/operator/queue', 'operator.queue'],
  ['/app/settings/operator/models', 'operator.models'],
] as const satisfies readonly (readonly [string, MessageId])[];

/** A page for platform operators, who can access all workspaces. Others see why they cannot. */
export function OperatorPage({ children }: { children: ReactNode }) {
  const t = useT();
  return (
    <AdminsOnly title="common.operator">
      {(me) => (
        <IfOperator me={me} otherwise={<Forbidden why={t('operator.only')} />}>
          <Pages />
          {children}
        </IfOperator>
      )}
    </AdminsOnly>
  );
}

function IfOperator({ me, otherwise, children }: { me: Me; otherwise: ReactNode; children: ReactNode }) {
  const standing = useOperatorStanding(me);
  return (
    <Read from={standing} lines={10}>
      {(isOperator) => (isOperator ? children : otherwise)}
    </Read>
  );
}

/** Links to the pages. The page of one workspace belongs to the workspaces. */
function Pages() {
  const t = useT();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const current = pages.find(([to]) => to === path) ?? pages[0];
  return (
    <nav
      aria-label={t('common.operator')}
      className="segmented"
      style={{ inlineSize: 'fit-content', maxInlineSize: '100%' }}
    >
      {pages.map(([to, name]) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: true }}
          aria-current={to === current[0] ? 'page' : undefined}
        >
          {t(name)}
        </Link>
      ))}
    </nav>
  );
}
