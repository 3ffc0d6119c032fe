import { Link, useRouterState } from '@tanstack/react-router';
import { type FocusEvent, type KeyboardEvent, useCallback, useEffect, useRef } from 'react';
import { deployment } from '../deployment.ts';
import { type MessageId, useT } from '../i18n.tsx';
import { isAdministrator, useMe, useOperatorStanding } from '../session/use-me.ts';

interface Entry {
  to: string;
  name: MessageId;
  /** Shown only to administrators of the workspace. */
  admin?: true;
  /** Shown only if the deployment has this feature. */
  needs?: 'billing' | 'storage';
  /** Shown only to platform operators. */
  operator?: true;
}

/** In the order of a reviewer's work. */
const work: readonly Entry[] = [
  { to: '/app', name: 'common.home' },
  { to: '/app/translate', name: 'translate.title' },
  { to: '/app/review', name: 'review.title' },
  { to: '/app/jobs', name: 'jobs.title' },
  { to: '/app/documents', name: 'documents.title' },
  { to: '/app/glossaries', name: 'sets.glossaries' },
  { to: '/app/memories', name: 'sets.memories' },
];

/** Rarely used screens: a menu, so that the navigation fits on one line. */
const administration: readonly Entry[] = [
  { to: '/app/members', name: 'members.title', admin: true },
  { to: '/app/security', name: 'security.title' },
  { to: '/app/audit', name: 'audit.title', admin: true },
  { to: '/app/usage', name: 'usage.title', admin: true },
  { to: '/billing', name: 'billing.title', admin: true, needs: 'billing' },
  { to: '/app/storage', name: 'storage.title', admin: true },
  { to: '/app/operator', name: 'operator.title', operator: true },
];

/** Links to the screens that the member may use. */
export function Navigation() {
  const t = useT();
  const me = useMe();
  const { data: isOperator } = useOperatorStanding(me.data);
  const isAdmin = me.data !== undefined && isAdministrator(me.data);
  const visible = administration.filter(
    ({ admin, needs, operator }) =>
      (!admin || isAdmin) && (!needs || deployment[needs]) && (!operator || isOperator),
  );
  return (
    <nav aria-label={t('common.navigation')}>
      <Links entries={work} />
      {visible.length > 1 ? <Menu entries={visible} /> : <Links entries={visible} />}
    </nav>
  );
}

function Links({ entries }: { entries: readonly Entry[] }) {
  const t = useT();
  return entries.map(({ to, name }) => (
    <Link key={to} to={to} activeOptions={{ exact: to === '/app' }} activeProps={{ 'aria-current': 'page' }}>
      {t(name)}
    </Link>
  ));
}

/** Links in a disclosure, which closes when one is selected, on Escape, and when the focus or a click is outside. */
function Menu({ entries }: { entries: readonly Entry[] }) {
  const t = useT();
  const menu = useRef<HTMLDetailsElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const close = useCallback(() => menu.current?.removeAttribute('open'), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another address is another screen
  useEffect(close, [path, close]);
  useEffect(() => {
    const press = ({ target }: PointerEvent) => {
      if (target instanceof Node && !menu.current?.contains(target)) close();
    };
    addEventListener('pointerdown', press);
    return () => removeEventListener('pointerdown', press);
  }, [close]);
  const keyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !menu.current?.open) return;
    event.stopPropagation();
    close();
    menu.current.querySelector('summary')?.focus();
  };
  const blur = ({ relatedTarget, currentTarget }: FocusEvent) => {
    if (relatedTarget && !currentTarget.contains(relatedTarget)) close();
  };
  const isWithin = entries.some(({ to }) => path === to || path.startsWith(`${to}/`));
  return (
    <details ref={menu} className="frame-menu" onKeyDown={keyDown} onBlur={blur}>
      <summary aria-current={isWithin || undefined}>{t('common.administration')}</summary>
      <div>
        <Links entries={entries} />
      </div>
    </details>
  );
}
