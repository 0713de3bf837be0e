"""Facts of a player and a country, for questions about pages."""

FACTS = [
    ("LeBron James", "P54", "Cleveland Cavaliers", "2003", "2010-07"),
    ("LeBron James", "P54", "Miami Heat", "2010-07", "2014-07-11"),
    ("LeBron James", "P54", "Los Angeles Lakers", "2018-07-01", "2023"),
    ("Italy", "P36", "Turin", "1861-03-17", "1865-02-03"),
    ("Italy", "P36", "Florence", "1865-02-03", "1871"),
    ("Italy", "P36", "Rome", "1871", "ongoing"),
]
