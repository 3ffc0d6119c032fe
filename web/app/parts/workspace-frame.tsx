import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { deployment } from '../deployment.ts';
import { listDrafts, type StoredDraft } from '../drafts/drafts.ts';
import { SignOutDialog } from '../drafts/sign-out-dialog.tsx';
import { type MessageId, useT } from '../i18n.tsx';
import { CommandDialogs } from '../keys/command-dialogs.tsx';
import { signOut } from '../session/keeper.ts';
import { isAdministrator, useMe, useOperatorStanding } from '../session/use-me.ts';
import { useSession } from '../session/use-session.ts';
import { Announcer } from './announcer.tsx';
import { LanguageChoice } from './language-choice.tsx';
import { OfflineNotice } from './offline.tsx';
import { SignInAgain } from './sign-in-again.tsx';

interface Entry {
  to: string;
  name: MessageId;
  /** Only for administrators of the workspace. */
  admin?: true;
  /** Only if the deployment has it. */
  needs?: 'billing' | 'storage';
  /** Only for operators of the platform. */
  operator?: true;
}

/** The navigation, in the order of a reviewer's day. */
const entries: readonly Entry[] = [
  { to: '/app', name: 'common.home' },
  { to: '/app/translate', name: 'translate.title' },
  { to: '/app/review', name: 'review.title' },
  { to: '/app/jobs', name: 'jobs.title' },
  { to: '/app/documents', name: 'documents.title' },
  { to: '/app/glossaries', name: 'sets.glossaries' },
  { to: '/app/memories', name: 'sets.memories' },
  { to: '/app/members', name: 'members.title', admin: true },
  { to: '/app/security', name: 'security.title' },
  { to: '/app/audit', name: 'audit.title', admin: true },
  { to: '/app/usage', name: 'usage.title', admin: true },
  { to: '/billing', name: 'billing.title', admin: true, needs: 'billing' },
  { to: '/app/storage', name: 'storage.title', admin: true },
  { to: '/app/operator', name: 'operator.title', operator: true },
];

/** The frame of every screen of the workspace: navigation, who is signed in, and the dialog that asks to sign in again. */
export function WorkspaceFrame() {
  const t = useT();
  const navigate = useNavigate();
  const state = useSession();
  const me = useMe();
  const { data: isOperator } = useOperatorStanding(me.data);
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });

  useEffect(() => {
    if (state.kind === 'signed_out') void navigate({ to: '/signin', replace: true });
  }, [state.kind, navigate]);
  const shown = useRef(path);
  useEffect(() => {
    // Focus follows the work: a new screen begins at its heading, not at the link that was clicked.
    if (shown.current === path) return;
    shown.current = path;
    main.current?.focus();
  }, [path]);

  const [unsent, setUnsent] = useState<StoredDraft[]>();
  const leave = async () => {
    // A browser that cannot read its storage must not keep anybody signed in.
    const drafts = await listDrafts().catch(() => []);
    if (drafts.length === 0) await signOut();
    else setUnsent(drafts);
  };

  if (state.kind === 'signed_out' || state.kind === 'starting') return null;
  const isAdmin = me.data !== undefined && isAdministrator(me.data);
  const visible = entries.filter(
    ({ admin, needs, operator }) =>
      (!admin || isAdmin) && (!needs || deployment[needs]) && (!operator || isOperator),
  );
  return (
    <>
      <a href="#main" className="skip-link">
        {t('common.skip')}
      </a>
      <header className="frame-header">
        <Link to="/app" className="brand" translate="no">
          LinguaLoop
        </Link>
        <nav aria-label={t('common.navigation')}>
          {visible.map(({ to, name }) => (
            <Link
              key={to}
              to={to}
              activeOptions={{ exact: to === '/app' }}
              activeProps={{ 'aria-current': 'page' }}
            >
              {t(name)}
            </Link>
          ))}
        </nav>
        <div className="frame-person">
          <bdi translate="no">{state.tokens.user.email}</bdi>
          <LanguageChoice />
          <button type="button" onClick={() => void leave()}>
            {t('common.sign_out')}
          </button>
        </div>
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        <OfflineNotice />
        <Outlet />
      </main>
      <Announcer />
      <CommandDialogs />
      {unsent && (
        <SignOutDialog
          drafts={unsent}
          onSignOut={() => void signOut()}
          onClose={() => setUnsent(undefined)}
        />
      )}
      {state.kind === 'expired' && <SignInAgain user={state.tokens.user} />}
    </>
  );
}
