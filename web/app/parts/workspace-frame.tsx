import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { type Locale, locales } from '#web/server/locale.ts';
import { deployment } from '../deployment.ts';
import { type MessageId, useInterface } from '../i18n.tsx';
import { signOut } from '../session/keeper.ts';
import { isAdministrator, useMe } from '../session/use-me.ts';
import { useSession } from '../session/use-session.ts';
import { Announcer } from './announcer.tsx';
import { SignInAgain } from './sign-in-again.tsx';

interface Entry {
  to: string;
  name: MessageId;
  /** Only for administrators of the workspace. */
  admin?: true;
  /** Only if the deployment has it. */
  needs?: 'billing' | 'storage';
}

/** The navigation, in the order of a reviewer's day. */
const entries: readonly Entry[] = [{ to: '/app', name: 'common.home' }];

/** The name of each language, in that language. */
const localeNames: Record<Locale, string> = {
  en: 'English',
  fr: 'Français',
  de: 'Deutsch',
  ar: 'العربية',
  ja: '日本語',
};

/** The frame of every screen of the workspace: navigation, who is signed in, and the dialog that asks to sign in again. */
export function WorkspaceFrame() {
  const { t, locale, choose } = useInterface();
  const navigate = useNavigate();
  const state = useSession();
  const me = useMe();
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

  if (state.kind === 'signed_out' || state.kind === 'starting') return null;
  const isAdmin = me.data !== undefined && isAdministrator(me.data);
  const visible = entries.filter(({ admin, needs }) => (!admin || isAdmin) && (!needs || deployment[needs]));
  return (
    <>
      <a href="#main" className="skip-link">
        {t('common.skip')}
      </a>
      <header className="frame-header">
        <Link to="/app" className="brand">
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
          <select
            aria-label={t('common.language')}
            value={locale}
            onChange={({ target }) => void choose(target.value as Locale)}
          >
            {locales.map((one) => (
              <option key={one} value={one} lang={one}>
                {localeNames[one]}
              </option>
            ))}
          </select>
          <button type="button" onClick={() => void signOut()}>
            {t('common.sign_out')}
          </button>
        </div>
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        <Outlet />
      </main>
      <Announcer />
      {state.kind === 'expired' && (
        <SignInAgain email={state.tokens.user.email} tenantId={state.tokens.user.tenant_id} />
      )}
    </>
  );
}
