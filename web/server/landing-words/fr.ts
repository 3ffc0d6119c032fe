import type { LandingWords } from './words.ts';

export const fr: LandingWords = {
  title: 'Des traductions dont vous pouvez répondre',
  eyebrow: 'La traduction open source, avec des personnes dans la boucle',
  headline: 'Des traductions dont vous pouvez répondre.',
  lead: 'Envoyez une phrase ou un fichier entier. LinguaLoop le traduit, vérifie chaque segment et ne vous montre que ceux qui demandent un regard humain.',
  readApi: 'Lire l’API',
  demo: 'Découvrir l’espace de démonstration',
  points: [
    'Open source (MIT)',
    'Chez vous, par `npm ci && npm start`',
    'Fonctionne avec les modèles compatibles avec OpenAI',
  ],
  picture:
    'L’éditeur : le compte rendu d’une réunion en anglais et en espagnol, segment par segment, avec une heure modifiée signalée comme critique.',
  how: 'Fonctionnement',
  howHeading: 'Trois choses qui ne lui échappent pas',
  layout: {
    heading: 'La mise en page est conservée',
    text: 'Les fichiers de {formats} formats gardent leur forme : titres, tableaux, liens et sauts de page. En arabe, la page se lit de droite à gauche.',
    measured:
      'Mesuré : {texts} textes sur {texts} traduits dans {files} fichiers Word et Excel, chaque formule, lien et style étant inchangé.',
  },
  checks: {
    heading: 'Des contrôles qu’aucun modèle ne contourne',
    text: 'Du code ordinaire compare nombres, variables, liens et balises. Une bonne note ne compense pas un montant modifié.',
    measured:
      'Mesuré : {caught} des {losses} erreurs introduites sont trouvées, en {tested} langues, et {alarms} fausses alertes sur {pairs} traductions réelles.',
  },
  memory: {
    heading: 'Une mémoire que les réviseurs construisent',
    text: 'Un texte approuvé est réutilisé sans modèle. Les textes proches guident le modèle comme exemples, et vos termes s’appliquent dès la première tâche.',
    measured:
      'Mesuré : parmi {segments} segments, une correspondance exacte prend {exact} ms, une correspondance partielle {fuzzy} ms.',
    exact: ['Déjà approuvé', 'sans modèle'],
    fuzzy: ['Un montant diffère', 'un exemple'],
    fresh: ['neuf', 'Jamais vu', 'vérifié en entier'],
  },
  formats: 'Formats',
  formatsHeading: '{formats} formats de fichier qui gardent leur forme',
  different: {
    heading: 'Ce qui le distingue',
    submissions: {
      heading: 'Aucun envoi ne compte deux fois',
      text: 'Renvoyez un texte ou un fichier avec la même clé : vous obtenez la même tâche, et ses caractères ne comptent qu’une fois.',
    },
    gate: {
      heading: 'Un contrôle avant chaque résultat',
      text: 'Une traduction qui échoue à un contrôle va à un réviseur, pour les textes comme pour les fichiers. Il corrige segment par segment, et même un PDF garde sa mise en page.',
    },
    storage: {
      heading: 'Un stockage qui est le vôtre',
      text: 'Fichiers et enregistrements restent dans un répertoire de votre serveur ou dans votre Azure Data Lake. Le modèle reçoit des textes, jamais de fichiers.',
    },
    start: {
      heading: 'Une commande pour l’héberger',
      text: '`npm ci && npm start` installe et démarre tout, base de données comprise. Ni compte ni clé de licence.',
    },
    install: 'Installation',
  },
  languages: 'Langues',
  languagesHeading: '{count} langues, chacune dans son écriture',
  developers: 'Développeurs',
  developersHeading: 'Une requête. La réponse est la tâche terminée.',
  developersText:
    'Un texte qui demande une révision renvoie `awaiting_review` et apparaît dans la boîte de réception.',
  developersPoints: [
    'SDK typé : {sdk} ko, sans dépendance',
    'OpenAPI 3.1, XLIFF 2.1, TBX',
    'Clés d’idempotence, curseurs, erreurs lisibles',
  ],
  quickStart: 'Démarrage rapide',
  samples: 'Exemple',
  comment: 'la réponse est la tâche terminée',
  prices: {
    heading: 'Tarifs',
    characters: '{characters} caractères par mois',
    per: { day: 'par jour', week: 'par semaine', month: 'par mois', year: 'par an' },
    topup: 'Davantage en cas de besoin : {characters} caractères pour {price}.',
    inclusive: 'Prix taxes comprises.',
    exclusive: 'Prix hors taxes.',
  },
  finalHeading: 'Relire moins. Se fier davantage.',
  finalText: 'Commencez par un fichier.',
  trial:
    'Commencez par un texte : les {characters} premiers caractères sont gratuits, pendant {days}. Les fichiers et l’API nécessitent un forfait.',
  plan: 'Les textes, les fichiers et l’API nécessitent un forfait.',
  apiPlan: 'Sur ce service, l’API nécessite un forfait.',
};
