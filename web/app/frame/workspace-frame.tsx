import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { draftDays, listDrafts, type StoredDraft, useUnreadable } from '../drafts/drafts.ts';
import { sendOpenEdits } from '../drafts/open-edits.ts';
import { SignOutDialog } from '../drafts/sign-out-dialog.tsx';
import { useT } from '../i18n.tsx';
import { CommandDialogs } from '../keys/command-dialogs.tsx';
import { Announcer } from '../parts/announcer.tsx';
import { OfflineNotice } from '../parts/offline.tsx';
import { SignInAgain } from '../parts/sign-in-again.tsx';
import { signOut } from '../session/keeper.ts';
import { useProofRequest } from '../session/proof.ts';
import { useSession } from '../session/use-session.ts';
import { ConfirmEmail } from './confirm-email.tsx';
import styles from './frame.module.css';
import { Rail, SectionNavigation } from './rail.tsx';
import { useMailLanguage } from './use-mail-language.ts';

/** Few sessions need it, so it is not a part of the first load. */
const ProofDialog = lazy(async () => ({ default: (await import('../parts/proof-dialog.tsx')).ProofDialog }));

/** At a sign-out, milliseconds to wait for reviews that are being sent before the dialog asks. */
const pauseBeforeAsking = 1000;

/**
 * At a sign-out, maximum milliseconds to load the drafts. If loading takes longer, the drafts stay encrypted on the
 * device.
 */
const maxReadingMs = 5000;

function noDraftsAfter(milliseconds: number): Promise<StoredDraft[]> {
  return new Promise((resolve) => setTimeout(() => resolve([]), milliseconds));
}

/** The frame of all workspace screens: navigation, the signed-in member, and the dialog to sign in again. */
export function WorkspaceFrame() {
  const t = useT();
  const navigate = useNavigate();
  const state = useSession();
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });

  useEffect(() => {
    if (state.kind === 'signed_out') void navigate({ to: '/signin', replace: true });
  }, [state.kind, navigate]);
  useMailLanguage(state.kind === 'signed_in');
  const isExpired = state.kind === 'expired';
  const isProofAsked = useProofRequest() !== undefined;
  const shown = useRef(path);
  useEffect(() => {
    // A new screen moves the focus to its heading; otherwise it would stay on the clicked link. While the dialog to
    // sign in again is open, elements behind it cannot be focused.
    if (shown.current === path || isExpired) return;
    shown.current = path;
    main.current?.focus();
  }, [path, isExpired]);

  const unreadable = useUnreadable();
  const [unsent, setUnsent] = useState<StoredDraft[]>();
  const leave = async () => {
    // Recent decisions and edits may still be sent.
    await sendOpenEdits(pauseBeforeAsking);
    // Sign-out must work even if the browser cannot read its storage, or the service does not return the draft keys.
    const drafts = await Promise.race([listDrafts().catch(() => []), noDraftsAfter(maxReadingMs)]);
    if (drafts.length === 0) await signOut();
    else setUnsent(drafts);
  };

  if (state.kind === 'signed_out' || state.kind === 'starting') return null;
  return (
    <>
      <a href="#main" className="skip-link">
        {t('common.skip')}
      </a>
      <div className={styles['frame']}>
        <Rail inEditor={path.startsWith('/app/edit/')} onSignOut={() => void leave()} />
        <div className={styles['screen']}>
          <SectionNavigation />
          <main id="main" ref={main} tabIndex={-1}>
            <OfflineNotice />
            {!path.startsWith('/app/edit/') && <ConfirmEmail />}
            {unreadable > 0 && (
              <p className="notice">{t('drafts.unreadable', { count: unreadable, days: draftDays })}</p>
            )}
            <Outlet />
          </main>
        </div>
      </div>
      <Announcer />
      <CommandDialogs />
      {unsent && (
        <SignOutDialog
          drafts={unsent}
          onSignOut={() => void signOut()}
          onClose={() => setUnsent(undefined)}
        />
      )}
      {isProofAsked && (
        <Suspense>
          <ProofDialog />
        </Suspense>
      )}
      {isExpired && <SignInAgain user={state.tokens.user} />}
    </>
  );
}
