"""What to take from a dump."""

from dataclasses import dataclass

NO_LANGUAGE = "mul"  # names that are the same in all languages; Wikidata moves labels there


@dataclass(frozen=True, kw_only=True)
class MiningSettings:
    """The settings that decide what is in the parts: another one of these needs another run."""

    languages: tuple[str, ...] = ("en",)  # in the order of preference; labels that are not there come from "mul"
    relations: tuple[str, ...] = ()  # only these; empty: all
    without_relations: tuple[str, ...] = ()
    qualifiers: tuple[str, ...] = ()  # kept beside the dates
    quantities: bool = False  # numeric objects are left out, as in TimeQA
    titles_of: str = ""  # the wiki ("enwiki") whose page titles are kept, to look up page views

    @property
    def name_languages(self) -> tuple[str, ...]:
        """The languages in which an entity may have its name."""
        return (*self.languages, *({NO_LANGUAGE} - set(self.languages)))

    def takes(self, relation: str) -> bool:
        """Tell whether facts of a relation are wanted."""
        return (not self.relations or relation in self.relations) and relation not in self.without_relations
