import { ActionButton } from '../kit/action-button.tsx';
import '../styles/workspace.css';
import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Tokens } from '#sdk/tokens.ts';
import { deployment } from '../deployment.ts';
import { deleteDrafts, listDrafts, type StoredDraft } from '../drafts/drafts.ts';
import { sendOpenEdits, stopOpenEdits } from '../drafts/open-edits.ts';
import { loadWords, useInterface, useT } from '../i18n.tsx';
import { useCommands } from '../keys/use-commands.ts';
import { Dialog } from '../kit/dialog.tsx';
import { Announcer } from '../parts/announcer.tsx';
import { LanguageText } from '../parts/language-text.tsx';
import { lazily } from '../parts/lazily.tsx';
import { OfflineNotice } from '../parts/offline.tsx';
import { procedures } from '../procedures.ts';
import { PasswordForm } from '../screens/sign-in/password-form.tsx';
import { SignInSteps, useSignInSteps } from '../screens/sign-in/sign-in-steps.tsx';
import { SsoWindowButton } from '../screens/sign-in/sso-button.tsx';
import { StepLevel } from '../screens/sign-in/step-heading.tsx';
import { signOut } from '../session/keeper.ts';
import { useProofRequest } from '../session/proof.ts';
import { useMe } from '../session/use-me.ts';
import { useSession } from '../session/use-session.ts';
import styles from './frame.module.css';
import { Rail, SectionNavigation } from './rail.tsx';

/** Few sessions need these, so they are not a part of the first load. */
const DemoBar = lazily(() => import('./demo-bar.tsx'));
const ProofDialog = lazily(async () => ({
  default: (await import('../parts/proof-dialog.tsx')).ProofDialog,
}));

/** At a sign-out, milliseconds to wait for reviews that are being sent before the dialog asks. */
const pauseBeforeAsking = 1000;

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

  const [unsent, setUnsent] = useState<StoredDraft[]>();
  const leave = async () => {
    // Recent decisions and edits may still be sent.
    await sendOpenEdits(pauseBeforeAsking);
    // Sign-out must work even if the browser cannot read its storage.
    const drafts = await listDrafts().catch(() => []);
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
          {state.kind === 'visiting' && (
            <Suspense>
              <DemoBar />
            </Suspense>
          )}
          <SectionNavigation />
          <main id="main" ref={main} tabIndex={-1}>
            <OfflineNotice />
            {!path.startsWith('/app/edit/') && <ConfirmEmail />}
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

/** Asks the member to confirm the own email address, if the service sends emails. */
function ConfirmEmail() {
  const t = useT();
  const me = useMe();
  const [isSent, setSent] = useState<boolean>();
  const sendAgain = async () => setSent((await procedures.mail.sendConfirmation.mutate()).queued);
  if (me.data?.user.email_confirmed !== false) return null;
  return (
    <div className="notice" role="status">
      <p>{t('notifications.confirm', { email: me.data.user.email })}</p>
      {isSent === undefined ? (
        <ActionButton onRun={sendAgain}>{t('notifications.send_again')}</ActionButton>
      ) : (
        <p>{t(isSent ? 'notifications.sent_again' : 'notifications.sent_too_often')}</p>
      )}
    </div>
  );
}

/**
 * Sends the language of the interface to the service, which then writes emails to the member in it: when the application
 * starts, and when the member selects another language. A failure is not shown, because the next start sends it again.
 */
function useMailLanguage(isSignedIn: boolean): void {
  const { locale } = useInterface();
  useEffect(() => {
    if (deployment.mail && isSignedIn)
      void procedures.mail.setPreferences.mutate({ language: locale }).catch(() => {});
  }, [locale, isSignedIn]);
}

/** Shows unsent changes before sign-out, which deletes them from the device. */
function SignOutDialog({
  drafts,
  onSignOut,
  onClose,
}: {
  drafts: readonly StoredDraft[];
  onSignOut: () => void;
  onClose: () => void;
}) {
  const t = useT();
  const deleteAll = async () => {
    stopOpenEdits();
    await deleteDrafts();
    onSignOut();
  };
  return (
    <Dialog title={t('drafts.title')} onClose={onClose}>
      <p>{t('drafts.hint')}</p>
      <ul className="rows">
        {drafts.map(({ item, source, text, language }) => (
          <li key={`${item.kind} ${item.id}`}>
            <bdi className="hint" translate="no">
              {source}
            </bdi>
            <LanguageText as="span" language={language}>
              {text.slice(0, 200)}
            </LanguageText>
          </li>
        ))}
      </ul>
      <div className="actions">
        <button type="button" className="primary" onClick={() => void deleteAll()}>
          {t('drafts.delete')}
        </button>
        <button type="button" onClick={onClose}>
          {t('drafts.cancel')}
        </button>
      </div>
    </Dialog>
  );
}

/**
 * Asks a member whose session has ended to sign in again. The dialog is above the current screen, which stays
 * unchanged; after the sign-in, waiting requests continue. Members with single sign-on use another window.
 */
function SignInAgain({ user }: { user: Tokens['user'] }) {
  const t = useT();
  const dialog = useRef<HTMLDialogElement>(null);
  const steps = useSignInSteps();
  const { step } = steps;
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // The email address is filled in, so the password gets the focus.
    shown?.querySelector<HTMLElement>('input:not([readonly])')?.focus();
    // Closing the dialog restores the focus.
    return () => shown?.close();
  }, []);
  const byProvider = user.provider === 'oauth2' && deployment.ssoProvider !== null;
  return (
    <dialog ref={dialog} aria-labelledby="sign-in-again" onCancel={(event) => event.preventDefault()}>
      <h2 id="sign-in-again">{t('signin.again')}</h2>
      <p>{t('signin.again_why')}</p>
      <StepLevel value={3}>
        {step && <SignInSteps steps={{ ...steps, step }} />}
        {!step && byProvider && <SsoWindowButton tenantId={user.tenant_id} />}
        {!step && !byProvider && (
          <PasswordForm email={user.email} tenantId={user.tenant_id} onAnswer={steps.advance} />
        )}
      </StepLevel>
      <button type="button" className="plain" onClick={() => void signOut()}>
        {t('common.sign_out')}
      </button>
    </dialog>
  );
}

const Palette = lazily(async () => ({ default: (await import('../keys/palette.tsx')).Palette }));
const KeyHelp = lazily(async () => ({ default: (await import('../keys/key-help.tsx')).KeyHelp }));

/** The keys (`?`) and the command palette (Mod+K), on any screen with commands. */
function CommandDialogs() {
  const [open, setOpen] = useState<'keys' | 'palette'>();
  // The names of some commands load with these dialogs.
  const show = (dialog: typeof open) =>
    void Promise.all([loadWords('tools'), loadWords('work')]).then(() => setOpen(dialog));
  useCommands({ help: () => show('keys'), palette: () => show('palette') });
  const close = () => setOpen(undefined);
  if (!open) return null;
  return <Suspense>{open === 'keys' ? <KeyHelp onClose={close} /> : <Palette onClose={close} />}</Suspense>;
}
