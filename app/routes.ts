import { index, type RouteConfig, route } from '@react-router/dev/routes'

// More exact than the pages' own /{Id}/{eventState}: these two states are the form.
const form = (page: string) => [
  route(`${page}/:id/edit`, 'card-form/card-edit-page.tsx', { id: `${page}-edit` }),
  route(`${page}/:id/add`, 'card-form/card-add-page.tsx', { id: `${page}-add` }),
]

export default [
  index('shop/home-page.tsx'),
  route('home', 'shop/home-page.tsx', { id: 'home' }),
  // These two addresses keep their historic spelling; the modules do not.
  route('infomation', 'shop/information-page.tsx'),
  route('bussinessdays', 'business-days/business-days-page.tsx'),
  route('today', 'business-days/today-page.tsx'),
  route('dining', 'shop/dining-page.tsx', [
    route('new/add', 'shop/dish-sheet-page.tsx', { id: 'dining-add' }),
    route(':id/edit', 'shop/dish-sheet-page.tsx', { id: 'dining-edit' }),
  ]),
  route('access', 'shop/access-page.tsx'),
  route('calendar', 'calendar/calendar-page.tsx'),
  route('calendar.ics', 'calendar/calendar-feed.ts'),
  route('calendar/:file', 'calendar/calendar-feed.ts', { id: 'event-to-keep' }),
  route('mail', 'mail/mail-page.tsx'),
  route('inbox', 'mail/inbox-page.tsx'),
  route('site', 'site/site-page.tsx'),
  route('pages', 'pages/pages-page.tsx'),
  route('pages/:id/edit', 'pages/page-edit-page.tsx'),
  route('p/:name', 'own-pages/written-page.tsx'),
  route('bin', 'bin/bin-page.tsx'),
  route('backup', 'backups/backup-page.tsx'),
  route('undo', 'undo/undo-page.tsx'),
  route('history/:subject/:id', 'records/record-history.ts'),

  route('login', 'sign-in/login-page.tsx'),
  route('login/google', 'sign-in/google-start.ts'),
  route('login/finished', 'sign-in/google-finished-page.tsx'),
  route('login/welcome', 'sign-in/welcome-page.tsx'),
  route('emaillogin', 'sign-in/email-login-page.tsx'),
  route('signupform', 'sign-in/sign-up-page.tsx'),
  route('resetpassword', 'sign-in/reset-page.tsx'),
  route('verifyemail', 'sign-in/verify-page.tsx'),
  route('undoaddress', 'sign-in/undo-address-page.tsx'),
  route('account', 'own-account/account-page.tsx'),
  route('account/data', 'own-account/account-data.ts'),
  route('logout', 'sign-in/logout-page.tsx'),
  route('privacy', 'accounts/privacy-page.tsx'),
  route('membercreate', 'members/member-form-page.tsx'),
  route('membercreate/:id', 'members/member-form-page.tsx', { id: 'member-edit' }),
  route('memberdetailconfirm', 'members/member-confirm-page.tsx'),
  route('memberlist', 'members/member-list-page.tsx'),

  route('firestoreservice', 'card-form/card-add-page.tsx'),
  ...form('firestoreservice'),

  route('videoproduction', 'portfolio/video-production-page.tsx'),
  route('municipalarchitect', 'portfolio/municipal-architect-page.tsx'),
  route('vbacreate', 'portfolio/vba-page.tsx'),
  route('webdesignincludebackend', 'portfolio/web-design-page.tsx'),
  ...form('webdesignincludebackend'),
  route('webdesignincludebackend/:Id/:eventState', 'portfolio/web-design-page.tsx', { id: 'web-design-card' }),
  route('tennisrelated', 'tennis/tennis-page.tsx'),
  ...form('tennisrelated'),
  route('tennisrelated/:Id/:eventState', 'tennis/tennis-page.tsx', { id: 'tennis-card' }),
  route('socialefficiency', 'portfolio/social-efficiency-page.tsx'),
  ...form('socialefficiency'),
  route('socialefficiency/:Id/:eventState', 'portfolio/social-efficiency-page.tsx', { id: 'social-efficiency-card' }),

  route('information', 'frame/right-spelling.ts', { id: 'information' }),
  route('businessdays', 'frame/right-spelling.ts', { id: 'businessdays' }),
  route('*', 'frame/not-found-page.tsx'),
] satisfies RouteConfig
