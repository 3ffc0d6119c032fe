import type { MailWords } from './words.ts';

export const fr: MailWords = {
  invite: {
    subject: 'Invitation à rejoindre l’espace de travail {workspace}',
    lead: '{by} vous invite à rejoindre l’espace de travail {workspace} sur LinguaLoop.',
    leadByOperator: 'L’opérateur de LinguaLoop vous invite à rejoindre l’espace de travail {workspace}.',
    action: 'Accepter l’invitation',
    until: 'Le lien fonctionne une seule fois, jusqu’au {when}.',
    why: 'Si vous n’attendiez pas cette invitation, ignorez cet e-mail. Sans le lien, rien ne se passe.',
  },
  confirmation: {
    subject: 'Confirmez votre adresse e-mail',
    lead: 'Un compte LinguaLoop a été créé avec cette adresse e-mail. Si c’est vous, confirmez l’adresse pour recevoir les e-mails de LinguaLoop et envoyer des invitations.',
    action: 'Confirmer l’adresse',
    why: 'Si ce n’est pas vous, ignorez cet e-mail. Tant que l’adresse n’est pas confirmée, le compte ne reçoit aucune notification.',
  },
  resetLink: {
    subject: 'Définir un nouveau mot de passe',
    lead: 'Un administrateur a créé pour vous un lien permettant de définir un nouveau mot de passe pour l’espace de travail {workspace} sur LinguaLoop.',
    leadOwn:
      'Un nouveau mot de passe a été demandé à la connexion de LinguaLoop pour votre compte dans l’espace de travail {workspace}.',
    action: 'Définir le mot de passe',
    until: 'Le lien fonctionne une seule fois, jusqu’au {when}. Il met fin à toutes vos sessions.',
    why: 'Si vous n’avez pas demandé de nouveau mot de passe, ignorez cet e-mail et prévenez votre administrateur. Votre mot de passe reste inchangé.',
  },
  security: {
    authenticator: 'Nouvelle application d’authentification pour votre compte',
    recovery_codes: 'Nouveaux codes de secours pour votre compte',
    password: 'Votre mot de passe a été modifié',
    provider: 'L’authentification unique a été liée à votre compte',
    lead: 'Compte dans l’espace de travail {workspace} sur LinguaLoop, {when}.',
    why: 'Si c’était vous, vous n’avez rien à faire. Sinon, changez votre mot de passe et demandez à un administrateur de l’espace de travail de réinitialiser votre application d’authentification.',
    action: 'Ouvrir les paramètres de sécurité',
  },
  secondReview: {
    subject: 'Moins d’éléments exigent une seconde révision',
    lead: 'Un administrateur a modifié les attributions ou leurs règles dans l’espace de travail {workspace} sur LinguaLoop : moins d’éléments exigent une seconde révision, {when}.',
    why: 'Si vous ne vous y attendiez pas, vérifiez les règles. Le journal d’audit indique qui les a modifiées.',
    action: 'Ouvrir les règles d’attribution',
  },
  digest: {
    subject: {
      one: '{n} élément est en attente de révision',
      other: '{n} éléments sont en attente de révision',
    },
    lead: {
      one: '{n} élément est en attente de révision dans l’espace de travail {workspace}.',
      other: '{n} éléments sont en attente de révision dans l’espace de travail {workspace}.',
    },
    assigned: { one: '{n} élément vous est attribué.', other: '{n} éléments vous sont attribués.' },
    dueSoon: {
      one: '{n} élément est à rendre dans les 24 heures.',
      other: '{n} éléments sont à rendre dans les 24 heures.',
    },
    overdue: { one: '{n} élément est en retard.', other: '{n} éléments sont en retard.' },
    action: 'Ouvrir la boîte de réception',
  },
  decisions: {
    approved: { one: '{n} traduction a été approuvée.', other: '{n} traductions ont été approuvées.' },
    rejected: { one: '{n} traduction a été rejetée.', other: '{n} traductions ont été rejetées.' },
    lead: 'Envoyé par vous dans l’espace de travail {workspace}. Les traductions rejetées ne sont pas publiées.',
    open: 'Ouvrir les traductions',
  },
  documents: {
    translated: { one: '{n} document est traduit.', other: '{n} documents sont traduits.' },
    failed: {
      one: '{n} document n’a pas pu être traduit.',
      other: '{n} documents n’ont pas pu être traduits.',
    },
    lead: 'Envoyé par vous dans l’espace de travail {workspace}.',
    openOne: 'Ouvrir le document',
    openAll: 'Ouvrir les fichiers',
  },
  link: 'Si le bouton ne fonctionne pas, ouvrez cette URL :',
  why: 'Vous recevez cet e-mail parce que vous êtes membre de l’espace de travail {workspace}.',
  unsubscribe: 'Désactiver les e-mails de ce type',
};
