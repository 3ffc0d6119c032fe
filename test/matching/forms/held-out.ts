/**
 * A table that was written after the rules, and measured; docs/terminology.md has the figures of that time. Later, the
 * rules were corrected, and also three errors in this table. Each line contains a term, then after "=" forms of the
 * term that must count, and after "≠" similar words that must not count.
 */
export const heldOut = {
  en: `
delivery = deliveries ≠ delivered, deliverer
liability = liabilities ≠ liable, libel
process = processes, processed, processing ≠ processor, procession, profess
storage device = storage devices ≠ storage, device driver
knife = knives ≠ knit, kneel
write = writes, writing, wrote, written ≠ writer, wrist
user account = user accounts, user account's ≠ account, user manual
criterion = criteria ≠ critic, criticism
upload = uploads, uploaded, uploading ≠ load, uploader`,
  de: `
Gesellschaft = Gesellschaften ≠ Geselle, gesellig, gesellschaftlich
Mitarbeiter = Mitarbeiters, Mitarbeitern ≠ Mitarbeit, mitarbeiten
Gericht = Gerichts, Gerichte, Gerichten, Gerichtes ≠ Gerechtigkeit, gerichtlich, Geruch
Antrag = Antrags, Anträge, Anträgen ≠ Auftrag, Antrieb, antragen
Buch = Buches, Bücher, Büchern ≠ Buchung, Buche, Bucht
Zentrum = Zentrums, Zentren ≠ Zentrale, Zentner
speichern = speichert, speicherte, gespeichert, gespeicherten ≠ Speicher, Spaten, Speicherung
personenbezogene Daten = personenbezogener Daten, personenbezogenen Daten ≠ Daten, personenbezogene Angaben
Schlüssel = Schlüssels, Schlüsseln ≠ Schluss, schlüssig
abrechnen = abgerechnet, abzurechnen, abrechnet ≠ Abrechnung, abrichten
Datenschutz = Datenschutzes, Datenschutzerklärung ≠ Daten, Schutz
Wort = Wortes, Wörter, Worte, Wörtern ≠ Wert, wörtlich`,
  nl: `
gebruiker = gebruikers ≠ gebruik, gebruiken, misbruiker
voorwaarde = voorwaarden, voorwaardes ≠ voorwaardelijk, waarde
eigenschap = eigenschappen ≠ eigenaar, eigenzinnig
vergoeding = vergoedingen ≠ vergoeden, goed
gerecht = gerechten ≠ gerechtigheid, geracht
betalen = betaalt, betaalde, betaald, betaalden ≠ betaling, bepalen, betaalbaar
aanvraag = aanvragen ≠ aanvrager, aandrang
bestelling = bestellingen ≠ bestellen, stelling, bestelbaar
rekening = rekeningen ≠ rekenen, rekenaar
bijlage = bijlagen, bijlages ≠ bijleggen, laag
brug = bruggen ≠ brugpieper, bruin
zaak = zaken ≠ zacht, zakelijk`,
  sv: `
kontrakt = kontraktet, kontrakten, kontraktets, kontraktens ≠ kontakt, kontrast
tjänst = tjänsten, tjänster, tjänsterna, tjänstens ≠ tjänare, tjäna
leverans = leveransen, leveranser, leveranserna ≠ leverantör, leverera
villkor = villkoret, villkoren, villkorens ≠ villkorlig, vilja
kostnad = kostnaden, kostnader, kostnaderna ≠ kosta, kostym
regel = regeln, regler, reglerna ≠ regera, rege
fil = filen, filer, filerna ≠ film, fila
stad = staden, städer, städerna ≠ stadig, städa
lösenord = lösenordet, lösenorden ≠ lösa, ord
radera = raderar, raderade, raderat, raderas ≠ rad, radering
mänsklig rättighet = mänskliga rättigheter, mänskliga rättigheterna ≠ rättighet, mänsklig rättvisa`,
  da: `
tjeneste = tjenesten, tjenester, tjenesterne ≠ tjener, fortjeneste
levering = leveringen, leveringer, leveringerne ≠ leverandør, levere
konto = kontoen, konti, kontoens ≠ kontor, kontrol
oplysning = oplysningen, oplysninger, oplysningerne ≠ oplyse, lysning
ansvar = ansvaret, ansvars, ansvarets ≠ ansvarlig, svar
sag = sagen, sager, sagerne, sagens ≠ sagn, sang
medlem = medlemmer, medlemmet, medlemmerne ≠ medlemskab, mellem
slette = sletter, slettede, slettet ≠ sletning, slet
by = byen, byer, byerne ≠ bygge, byrde
personlig oplysning = personlige oplysninger ≠ oplysning, personlig opgave`,
  nb: `
tjeneste = tjenesten, tjenester, tjenestene ≠ tjener, fortjeneste
faktura = fakturaens ≠ fakturere, fasit
ansatt = ansatte, ansattes ≠ ansette, ansats
konto = kontoen, kontoer, kontoene ≠ kontor, kontroll
opplysning = opplysningen, opplysninger, opplysningene ≠ opplyse, lysning
lov = loven, lover, lovene ≠ lovlig, love
by = byen, byer, byene ≠ bygge, byrde
hånd = hånden, hender, hendene ≠ hund, handel
slette = sletter, slettet ≠ sletting, slett
medlem = medlemmer, medlemmet, medlemmene ≠ medlemskap, mellom`,
  fr: `
donnée = données ≠ donner, donateur
obligation = obligations ≠ obligatoire, obliger
employeur = employeurs ≠ employer, emploi
utilisateur = utilisateurs, utilisatrice, utilisatrices ≠ utiliser, utilisation
clé = clés ≠ clef, clou
résilier = résilie, résilié, résiliée, résilient, résiliait, résiliera ≠ résiliation, résidu
droit de propriété = droits de propriété ≠ droit, propriété, droit de vote
cheval = chevaux ≠ chevalier, cheveu
prix total = prix totaux ≠ prix, total
recevoir = reçoit, reçu, reçue, reçoivent ≠ recette, réception
nouveau = nouveaux, nouvelle, nouvelles ≠ nouveauté, niveau
établir = établit, établi, établie, établissent ≠ établissement, étable
journal = journaux ≠ journaliste, journée`,
  es: `
cliente = clientes ≠ clientela, clima
pedido = pedidos ≠ pedir, pedazo
vendedor = vendedores, vendedora ≠ vender, venta
cancelar = cancela, cancelado, cancelada, canceló, cancelan, cancelará ≠ cancelación, cáncer
red = redes ≠ redondo, reducir
cuenta bancaria = cuentas bancarias ≠ cuenta, bancaria, cuenta corriente
entregar = entrega, entregado, entregue, entregó ≠ entregador, integrar
voz = voces ≠ vocal, vos
resolución = resoluciones ≠ resolver, revolución
hacer = hace, haciendo, hecho, hizo ≠ hacia, hacha
título = títulos ≠ titular, tilde
derecho humano = derechos humanos ≠ derecho, humano`,
  it: `
obbligo = obblighi ≠ obbligare, obliquo
cliente = clienti ≠ clientela, clima
servizio = servizi ≠ servire, servo
consegnare = consegna, consegnato, consegnata, consegnano ≠ consegnatario, consigliare
problema = problemi ≠ problematica, probabile
ricerca = ricerche ≠ ricercare, ricerco
dato personale = dati personali ≠ dato, personale, dato sensibile
chiudere = chiude, chiudono, chiuso, chiusa ≠ chiusura, chiodo
amico = amici ≠ amicizia, amaca
uomo = uomini ≠ uva, uovo
lingua = lingue ≠ linguaggio, linguista
venditore = venditori, venditrice ≠ vendita, vendere`,
  'pt-BR': `
cliente = clientes ≠ clientela, clima
pedido = pedidos ≠ pedir, pedaço
condição = condições ≠ condicional, condizer
imóvel = imóveis ≠ imobiliário, mover
cancelar = cancela, cancelado, cancelada, cancelou, cancelam, cancelará ≠ cancelamento, câncer
ordem = ordens ≠ ordenar, ordinário
pagar = pague, paguei ≠ pagante, praga
comprador = compradores, compradora ≠ comprar, compra
pão = pães ≠ pau, paz
jurídico = jurídicos, jurídica, jurídicas ≠ jurista, juro
cartão de crédito = cartões de crédito ≠ cartão, crédito
entregar = entrega, entregue, entregou ≠ entregador, integrar`,
  ro: `
contract de muncă = contracte de muncă, contractul de muncă ≠ contract, muncă
acord = acordul, acorduri, acordurile, acordului ≠ acorda, acoperi
produs = produsul, produse, produsele, produselor ≠ producător, produce
cont = contul, conturi, conturile, contului ≠ contabil, continuu
piață = piața, piețe, piețele, pieței ≠ pictor, piatră
carte = cartea, cărți, cărțile, cărții ≠ cartof, carton
drept = dreptul, drepturi, drepturile ≠ dreptate, direct
școală = școala, școli, școlile ≠ școlar, scoală
notificare = notificarea, notificări, notificările, notificării ≠ notifica, notiță
proprietar = proprietarul, proprietari, proprietarului ≠ proprietate, propriu`,
  el: `
λογαριασμός = λογαριασμού, λογαριασμοί, λογαριασμών, λογαριασμούς ≠ λογαριάζω, λογικός
χρήστης = χρήστη, χρήστες, χρηστών ≠ χρήση, χρήμα
εταιρεία = εταιρείας, εταιρείες, εταιρειών ≠ εταίρος, εταιρικός
δικαίωμα = δικαιώματος, δικαιώματα, δικαιωμάτων ≠ δίκαιο, δικαστής
απόφαση = απόφασης, αποφάσεις, αποφάσεων ≠ αποφασίζω, απορία
προϊόν = προϊόντος, προϊόντα, προϊόντων ≠ προσόν, πρόοδος
μέλος = μέλους, μέλη, μελών ≠ μέλι, μελέτη
κωδικός πρόσβασης = κωδικού πρόσβασης, κωδικοί πρόσβασης ≠ κωδικός, πρόσβαση
εργαζόμενος = εργαζομένου, εργαζόμενοι, εργαζομένων ≠ εργασία, εργαλείο
πόλη = πόλης, πόλεις, πόλεων ≠ πολίτης, πολύ`,
  ru: `
товар = товара, товары, товаров, товарам, товаром ≠ товарищ, товарный
ответственность = ответственности, ответственностью ≠ ответственный, ответ
право = права, праву, правом, прав, правами ≠ правило, правда, править
письмо = письма, письму, письмом, писем, письмах ≠ письменный, писать
заявление = заявления, заявлению, заявлений, заявлением ≠ заявить, заявка
отец = отца, отцу, отцом, отцы ≠ отцовский, отечество
интеллектуальная собственность = интеллектуальной собственности, интеллектуальную собственность ≠ собственность, интеллект
день = дня, дню, дни, дней, днём ≠ денег, дневник
подписать = подписал, подписана, подписали, подписан ≠ подписка, подпись
ребёнок = ребёнка, дети, детей ≠ ребро
рубль = рубля, рубли, рублей ≠ рубить, рубеж
статья = статьи, статью, статей, статьях ≠ стать, статистика`,
  uk: `
товар = товару, товари, товарів, товаром ≠ товариш, товарний
відповідальність = відповідальності, відповідальністю ≠ відповідь, відповідний
право = права, праву, правом, прав ≠ правило, правда
заява = заяви, заяву, заяв, заявою ≠ заявник, заявити
день = дня, дні, днів, днем ≠ денний, гроші
постачальник = постачальника, постачальники, постачальників, постачальником ≠ постачати, постачання
ціна = ціни, ціну, цін, ціною ≠ цінний, цінувати
книга = книги, книгу, книг, книзі ≠ книжка, книжний
договір оренди = договору оренди, договори оренди ≠ договір, оренда
рік = року, роки, років, роком ≠ річний, рікша
рішення = рішень, рішенням, рішеннями ≠ рішити, рішучий`,
  pl: `
prawo = prawa, prawu, prawem, praw, prawie ≠ prawda, prawnik, prawny
odpowiedzialność = odpowiedzialności, odpowiedzialnością ≠ odpowiedź, odpowiedni
towar = towaru, towary, towarów, towarem, towarze ≠ towarzysz, towarowy
książka = książki, książkę, książek, książce, książką ≠ książę, księga
dzień = dnia, dni, dniem, dniu ≠ dziennik, dziecko
kupujący = kupującego, kupującemu, kupującym ≠ kupiec, kupować
decyzja = decyzji, decyzję, decyzje, decyzją ≠ decydent, decydować
dom = domu, domy, domów, domem ≠ domyślny, dym
pracownik = pracownika, pracownicy, pracowników, pracownikom ≠ praca, pracować
miasto = miasta, miastem, miast, mieście ≠ miastowy, miska
własność intelektualna = własności intelektualnej, własnością intelektualną ≠ własność, intelektualny
błąd = błędu, błędy, błędów, błędem ≠ błądzić, błękit`,
  cs: `
právo = práva, právu, právem, práv, právech ≠ pravda, právník, právní
odpovědnost = odpovědnosti, odpovědností ≠ odpověď, odpovědný
kniha = knihy, knihu, knize, knih, knihou ≠ knihovna, kníže
uživatel = uživatele, uživateli, uživatelé, uživatelů ≠ užívat, užitek
den = dne, dny, dní, dnů, dnem ≠ denní, dno
město = města, městu, městem, měst, městech ≠ městský, místo
výrobek = výrobku, výrobky, výrobků, výrobkem ≠ výroba, výrobce
prodávající = prodávajícího, prodávajícím ≠ prodej, prodávat
nabídka = nabídky, nabídku, nabídek, nabídce ≠ nabídnout, nabít
obchodní podmínky = obchodních podmínek, obchodními podmínkami ≠ obchodní, podmínka
soud = soudu, soudy, soudů, soudem ≠ soudce, soudit`,
  fi: `
palvelu = palvelun, palvelua, palvelut, palveluita, palveluiden, palvelussa ≠ palvella, palvelija, palkka
hakemus = hakemuksen, hakemusta, hakemukset, hakemuksia ≠ hakea, hakija
tili = tilin, tiliä, tilit, tilillä, tilejä ≠ tila, tilava
käyttäjä = käyttäjän, käyttäjää, käyttäjät, käyttäjien, käyttäjille ≠ käyttää, käyttö
laite = laitteen, laitetta, laitteet, laitteita, laitteessa ≠ laitos, laittaa
kauppa = kaupan, kauppaa, kaupat, kauppoja, kaupassa ≠ kaupunki, kauppias
velvollisuus = velvollisuuden, velvollisuutta, velvollisuudet, velvollisuuksia ≠ velvoite, velka
nimi = nimen, nimeä, nimet, nimiä, nimellä ≠ nimittäin, nimetön
avain = avaimen, avainta, avaimet, avaimia ≠ avata, avaus
vesi = veden, vettä, vedet, vedessä ≠ vesa, vesimies
suora = suoran, suoraa, suorat ≠ suoritus, suorittaa
tietosuoja = tietosuojan, tietosuojaa, tietosuojasta ≠ tieto, suoja`,
  hu: `
felhasználó = felhasználók, felhasználót, felhasználónak, felhasználóval, felhasználói ≠ felhasznál, használat, felhasználás
jog = jogok, jogot, jogában, jogai, joggal ≠ jogász, jogi személy
adat = adatok, adatot, adatokat, adatai ≠ adó, ad
kérelem = kérelmet, kérelmek, kérelemben, kérelmét ≠ kérdés, kér
ajánlat = ajánlatot, ajánlatok, ajánlattal, ajánlata ≠ ajánl, ajánlás
vállalkozás = vállalkozások, vállalkozást, vállalkozásnak ≠ vállal, vállalkozó
munka = munkát, munkák, munkával, munkája, munkához ≠ munkás, munkál
könyv = könyvek, könyvet, könyvben, könyve ≠ könyvel, könyvtár
kéz = kezek, kezet, kezével, kezében ≠ kezd, kés
fizetési mód = fizetési módok, fizetési módot ≠ mód, fizetés`,
  tr: `
kullanıcı = kullanıcıya, kullanıcılar, kullanıcının, kullanıcıları, kullanıcıdan ≠ kullanmak, kullanım, kullanışlı
hesap = hesabı, hesaplar, hesabınız, hesabın, hesaptan ≠ hesapsız, hesaplama
ücret = ücreti, ücretler, ücretin, ücretlerini ≠ ücretsiz, ücretli
veri = veriler, verileri, verinin, verilerinizi ≠ verim, vergi
sipariş = siparişi, siparişler, siparişin, siparişiniz ≠ sipahi, sıpa
iptal etmek = iptal etti, iptal eder, iptal edilir ≠ iptal, etmek
şehir = şehri, şehirler, şehrin, şehirde ≠ şehirli, şehit
dosya = dosyayı, dosyalar, dosyanın, dosyasını ≠ dost, dosdoğru
hak = hakkı, haklar, hakları, haklarınız ≠ hakem, haksız
mahkeme = mahkemeye, mahkemeler, mahkemesi, mahkemenin ≠ mahkum, mahkemelik
gizlilik politikası = gizlilik politikamız, gizlilik politikasını ≠ gizlilik, politika`,
  ar: `
قانون = القانون, قوانين, القوانين, بالقانون, قانونه ≠ قنون, قنينة
حق = الحق, حقوق, الحقوق, حقه ≠ تحقيق, حقيقة
خدمة = الخدمة, خدمات, الخدمات, خدماتنا, للخدمة ≠ خادم, استخدام
طلب = الطلب, طلبات, طلبك, الطلبات ≠ طالب, مطلب
حساب = الحساب, حسابات, حسابك, الحسابات ≠ محاسب, حسب
بيان = البيان, بيانات, البيانات ≠ بين, تبيين
موظف = الموظف, موظفين, الموظفون, موظفة ≠ وظيفة, توظيف
منتج = المنتج, منتجات, منتجاتنا, المنتجات ≠ إنتاج, ناتج
مكتب = المكتب, مكاتب, مكتبه ≠ كاتب, كتاب
ملف = الملف, ملفات, الملفات, ملفك ≠ لف, تأليف
الملكية الفكرية = للملكية الفكرية, والملكية الفكرية ≠ الملكية, الملكية الخاصة`,
  fa: `
کتاب = کتاب‌ها, کتابها, کتابی, کتاب‌هایش ≠ کاتب, مکتب, کتابخانه
خدمت = خدمات, خدمتی, خدمت‌ها ≠ خادم, استخدام
حساب = حساب‌ها, حسابی, حسابتان ≠ محاسبه, حسابدار
کارمند = کارمندان, کارمندها, کارمندی ≠ کارگر, کارخانه
قانون = قانونی, قانون‌ها ≠ قانونمند, کانون
سفارش = سفارش‌ها, سفارشات, سفارشی ≠ سفر, گزارش`,
  hi: `
उपयोगकर्ता = उपयोगकर्ताओं ≠ उपयोग, कर्ता
अधिकार = अधिकारों ≠ अधिकारी, अधिक
बेटा = बेटे, बेटों ≠ बेटी, बेल
नीति = नीतियाँ, नीतियों ≠ नीतिगत, नीच
किताब = किताबें, किताबों ≠ किताबी, कितना
भाषा = भाषाएँ, भाषाओं ≠ भाषण, भाव
सूचना = सूचनाएँ, सूचनाओं ≠ सूची, सूचित
रुपया = रुपये, रुपए, रुपयों ≠ रूप, रुचि
वस्तु = वस्तुएँ, वस्तुओं ≠ वास्तु, वस्त्र
नई सेवा = नई सेवाएँ, नई सेवाओं ≠ नई, सेवा`,
  ur: `
کھاتہ = کھاتے, کھاتوں ≠ کھانا, کھیت
زبان = زبانیں, زبانوں ≠ زبانی, زمانہ
نوکری = نوکریاں, نوکریوں ≠ نوکر, نکر
قیمت = قیمتیں, قیمتوں ≠ قیام, مقیم
گاہک = گاہکوں ≠ گاہ, گاڑی
بیٹا = بیٹے, بیٹوں ≠ بیٹی, بیل
سہولت = سہولیات, سہولتیں, سہولتوں ≠ سہل, سہیل`,
  mr: `
वापरकर्ता = वापरकर्त्याला, वापरकर्त्यांना, वापरकर्ते ≠ वापर, वापरणे
नियम = नियमात, नियमांचे, नियमाला, नियमांनुसार ≠ नियमित, निय
माहिती = माहितीचा, माहितीला ≠ माहित, माही
शाळा = शाळेत, शाळेचा, शाळांमध्ये ≠ शाल, शाळकरी
किंमत = किंमतीत, किंमती, किंमतीला ≠ किंमतवान, कीम`,
  ne: `
प्रयोगकर्ता = प्रयोगकर्ताको, प्रयोगकर्ताहरू, प्रयोगकर्तालाई ≠ प्रयोग, प्रयोगशाला
नियम = नियमको, नियमहरू, नियममा, नियमहरूको ≠ नियमित, नियन्त्रण
भाषा = भाषाको, भाषाहरू, भाषामा ≠ भाषण, भाषिक
मूल्य = मूल्यको, मूल्यमा, मूल्यहरू ≠ मूल्यवान, मूल`,
  ko: `
사용자 = 사용자가, 사용자를, 사용자는, 사용자에게, 사용자의, 사용자들이 ≠ 사용, 사용료, 이용자
데이터 = 데이터를, 데이터가, 데이터와, 데이터로 ≠ 데이트, 데이터베이스
이용 약관 = 이용약관, 이용 약관에, 이용약관을 ≠ 이용, 약관`,
  id: `
perjanjian = perjanjiannya, perjanjian-perjanjian ≠ janji, berjanji
data = datanya ≠ datang, datar
pelanggan = pelanggannya, pelanggan-pelanggan, pelangganmu ≠ langganan, langgan`,
};
