import type { SmallTalk } from '../word-groups.ts'

/** Romanian. */
export const romanian: SmallTalk = {
  talk:
    'stimați indatorat zica suflet sugestii sugestie deranjul problema precizati preciza multumiri aici ' +
    'nicaieri informație informații cumva idei bune frumos frumoasa informati- zici explică deranjat ' +
    'repet buna salut salutare salutari servus sal hei hey neata noroc multumesc multumim mersi merci ms ' +
    'mc thanks rog pls plz rugamint- amabil- recunoscat- intreba- intreb curiozitate curios nelamurir- ' +
    'lamuri- lamureasca ajut- cineva careva oricine raspuns- raspunde raspundeti raspunda urgent grabesc ' +
    'anticipat stima stimat- domnul doamna domnule respect consideratie pupici scuze scz scuzati iertati ' +
    'iertare sorry deranj deranjez spune spuneti spuna spun mie zic explica- explice explici stie stiti ' +
    'stiu stii sti stiam idee habar inteleg inteles intelesul intelege intelegi pricep descurc caut ' +
    'cautat gasit incepator incepatoare buni frate bro haha lol xd scurt scurta simplu cuvinte rand ' +
    'randuri pas pasi detaliat detaliata detalii exemplu exemple concret clar clara prosteasca proasta ' +
    'stupida astept asteptam info indicati comunicati comunice afla aflu adresez sper apropo sfat sfaturi ' +
    'intereseaza ok super',
  beside:
    'mele cer singura ia pt toti mii pai nou noua posibil inca nevoie as dori vrea repede rapid urgenta rapidă ' +
    'avea asa atunci eu ma imi mi mine meu mea noi ne nostru tu te iti ti dumneavoastra dvs voi va v el ' +
    'ea lui acest aceasta acestei asta astea ce cine cum unde cand de la din in pe cu pentru prin dupa si ' +
    'dar ca daca sa am ai are avem aveti au a al o un una unul unii niste mai foarte prea tot toate deja ' +
    'aici acum azi ieri ore doua doi trei alta alte alt cred bine mult multa exact pot poate poti puteti ' +
    'putea putem face fac faceti stau sta fi fiti sunt suntem esti este e era fost ar ati n s m trebuie ' +
    'zi ziua frumos frumoasa cele mare mic mica urmatoarea tuturor forum scriu scris saptamana trecuta ' +
    'peste iesit sens sigur greseala trimis deosebita pare rau legatura blocat pierdut repet ajuns rapida ' +
    'adevarat drept cel ultima prima data ultimul i problema baza cautare dea interes',
  denials: 'nu nimic nimeni nicaieri niciun nicio nici',
  documents: 'documentat- documentelor sursa surse sursei sursele conform potrivit',
  asks: 'cum cand ce cine cui unde cat cata cati cate care daca',
  leads: 'ca dar buna salut salutare servus neata ziua seara sal hei apropo frate',
  ends: 'multumesc multumim mersi merci ms rog pls plz scuze',
  closings: 'respect stima consideratie pupici salutari',
  requests:
    'ajut- spune spuneti spuna spun zic zica zici explice explici explică sfat sfaturi idee idei sugestii ' +
    'sugestie caut cautat informati- informație informații info indicati lamuri- gasesc gasi gaseasca ' +
    'vreau',
  names: 'suflet domnul doamna inima lume oameni domni domn noapte seara dimineata ora',
  labels: 'numar- nr comanda comenzii clientului client factura facturii contract- tichet telefon-',
}
