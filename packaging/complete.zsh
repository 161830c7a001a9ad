# Presses Tab in an interactive zsh and prints what its screen then shows:
#   zsh -f complete.zsh FOLDER "spml train data --loss rol"
# FOLDER has the completion function _spml.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D; LISTMAX=1000; echo set-up"
zpty -r shell screen $'*set-up\r*'
zpty -w -n shell "$2"$'\t\t'
for try in {1..30}; do # until something below the line was listed
  sleep 0.5
  while zpty -r -t shell more; do screen+=$more; done
  [[ ${screen#*$2} == *$'\n'* ]] && break
done
zpty -d shell
print -r -- "${screen#*$2}"
