import { MascotApp } from './components/mascot-app.ts';
import { openPort } from './port.ts';
import { pageStyles } from './styles/page.ts';

const sheet = pageStyles.styleSheet;
if (sheet) document.adoptedStyleSheets.push(sheet);
const app = document.querySelector('mascot-app') ?? document.body.appendChild(new MascotApp());
if (app instanceof MascotApp) app.start(openPort());
