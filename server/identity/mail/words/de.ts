import type { MailWords } from './words.ts';

export const de: MailWords = {
  invite: {
    subject: 'Einladung in den Arbeitsbereich {workspace}',
    lead: '{by} lädt Sie in den Arbeitsbereich {workspace} auf LinguaLoop ein.',
    leadByOperator: 'Der Betreiber von LinguaLoop lädt Sie in den Arbeitsbereich {workspace} ein.',
    action: 'Einladung annehmen',
    until: 'Der Link funktioniert einmal, bis {when}.',
    why: 'Wenn Sie diese Einladung nicht erwartet haben, ignorieren Sie diese E-Mail. Ohne den Link passiert nichts.',
  },
  confirmation: {
    subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
    lead: 'Mit dieser E-Mail-Adresse wurde ein Konto bei LinguaLoop angelegt. Wenn Sie es waren, bestätigen Sie die Adresse. Dann können Sie E-Mails von LinguaLoop erhalten und Einladungen senden.',
    action: 'Adresse bestätigen',
    why: 'Wenn Sie es nicht waren, ignorieren Sie diese E-Mail. Bis die Adresse bestätigt ist, erhält das Konto keine Benachrichtigungen per E-Mail.',
  },
  resetLink: {
    subject: 'Neues Passwort festlegen',
    lead: 'Ein Administrator hat für Sie einen Link erstellt, mit dem Sie ein neues Passwort für den Arbeitsbereich {workspace} auf LinguaLoop festlegen können.',
    leadOwn:
      'Bei der Anmeldung von LinguaLoop wurde ein neues Passwort für Ihr Konto im Arbeitsbereich {workspace} angefordert.',
    action: 'Passwort festlegen',
    until: 'Der Link funktioniert einmal, bis {when}. Er beendet alle Ihre Sitzungen.',
    why: 'Wenn Sie kein neues Passwort angefordert haben, ignorieren Sie diese E-Mail und informieren Sie Ihren Administrator. Ihr Passwort bleibt unverändert.',
  },
  security: {
    authenticator: 'Neue Authenticator-App für Ihr Konto',
    recovery_codes: 'Neue Wiederherstellungscodes für Ihr Konto',
    password: 'Ihr Passwort wurde geändert',
    provider: 'Single Sign-on wurde mit Ihrem Konto verknüpft',
    lead: 'Konto im Arbeitsbereich {workspace} auf LinguaLoop, {when}.',
    why: 'Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, ändern Sie Ihr Passwort und bitten Sie einen Administrator des Arbeitsbereichs, Ihre Authenticator-App zurückzusetzen.',
    action: 'Sicherheitseinstellungen öffnen',
  },
  secondReview: {
    subject: 'Weniger Elemente brauchen eine zweite Prüfung',
    lead: 'Ein Administrator hat Zuweisungen oder ihre Regeln im Arbeitsbereich {workspace} auf LinguaLoop so geändert, dass weniger Elemente eine zweite Prüfung brauchen, {when}.',
    why: 'Wenn Sie das nicht erwarten, prüfen Sie die Regeln. Das Audit-Protokoll nennt, wer sie geändert hat.',
    action: 'Zuweisungsregeln öffnen',
  },
  digest: {
    subject: { one: '{n} Element wartet auf Prüfung', other: '{n} Elemente warten auf Prüfung' },
    lead: {
      one: '{n} Element wartet im Arbeitsbereich {workspace} auf Prüfung.',
      other: '{n} Elemente warten im Arbeitsbereich {workspace} auf Prüfung.',
    },
    assigned: { one: '{n} Element ist Ihnen zugewiesen.', other: '{n} Elemente sind Ihnen zugewiesen.' },
    dueSoon: {
      one: '{n} Element ist innerhalb eines Tages fällig.',
      other: '{n} Elemente sind innerhalb eines Tages fällig.',
    },
    overdue: { one: '{n} Element ist überfällig.', other: '{n} Elemente sind überfällig.' },
    action: 'Posteingang öffnen',
  },
  decisions: {
    approved: { one: '{n} Übersetzung wurde freigegeben.', other: '{n} Übersetzungen wurden freigegeben.' },
    rejected: { one: '{n} Übersetzung wurde abgelehnt.', other: '{n} Übersetzungen wurden abgelehnt.' },
    lead: 'Von Ihnen im Arbeitsbereich {workspace} eingereicht. Abgelehnte Übersetzungen werden nicht veröffentlicht.',
    open: 'Übersetzungen öffnen',
  },
  documents: {
    translated: { one: '{n} Dokument ist übersetzt.', other: '{n} Dokumente sind übersetzt.' },
    failed: {
      one: '{n} Dokument konnte nicht übersetzt werden.',
      other: '{n} Dokumente konnten nicht übersetzt werden.',
    },
    lead: 'Von Ihnen im Arbeitsbereich {workspace} eingereicht.',
    openOne: 'Dokument öffnen',
    openAll: 'Dateien öffnen',
  },
  link: 'Wenn die Schaltfläche nicht funktioniert, öffnen Sie diese URL:',
  why: 'Sie erhalten diese E-Mail, weil Sie Mitglied des Arbeitsbereichs {workspace} sind.',
  unsubscribe: 'E-Mails dieser Art abschalten',
};
